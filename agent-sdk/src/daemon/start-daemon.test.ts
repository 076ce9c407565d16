import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAEMON_LIMITS } from './limits.js';
import { type DaemonCommand, reachAgent } from './start-daemon.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cs-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const log = (): string => join(dir, 'daemon.log');

function daemon(script: string): DaemonCommand {
  return { argv: [process.execPath, '-e', script] };
}

function says(line: object): string {
  return `console.log(${JSON.stringify(JSON.stringify(line))});`;
}

describe('a daemon that does not come up', () => {
  it('hands over why it gave up', async () => {
    const error = { code: 'state_corrupt', message: 'Damaged.', details: { n: 1 } };
    await expect(reachAgent(dir, daemon(says({ v: 1, error })))).rejects.toMatchObject(error);
  });

  it.each([
    ['dies without a word', 'console.error("a trace"); process.exit(1)'],
    ['says what nobody understands', 'console.log("hello")'],
    ['speaks another version', says({ v: 9, result: {} })],
  ])('and %s is told with its log', async (_, script) => {
    await expect(reachAgent(dir, daemon(script))).rejects.toMatchObject({
      code: 'timeout',
      message: `The daemon did not start. See ${log()}`,
    });
    expect(statSync(log()).mode & 0o777).toBe(0o600);
  });

  it('cannot even be started', async () => {
    await expect(reachAgent(dir, { argv: [join(dir, 'no-such-program')] })).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('because others own the directory is waited for, then told with the owner', async () => {
    const details = { pid: process.pid, program: 'my agent', since: 'now' };
    const error = { code: 'directory_in_use', message: 'In use.', details };
    const before = performance.now();
    await expect(reachAgent(dir, daemon(says({ v: 1, error })))).rejects.toMatchObject(error);
    expect(performance.now() - before).toBeGreaterThanOrEqual(DAEMON_LIMITS.ownerAnswersMs);
  });
});

describe('the log of a daemon', () => {
  const writes = 'console.error("new");';

  it('is appended to', async () => {
    writeFileSync(log(), 'old\n');
    await reachAgent(dir, daemon(writes)).catch(() => undefined);
    expect(readFileSync(log(), 'utf8')).toBe('old\nnew\n');
  });

  it('is begun anew beyond its limit', async () => {
    writeFileSync(log(), 'x'.repeat(DAEMON_LIMITS.maxLogBytes + 1));
    await reachAgent(dir, daemon(writes)).catch(() => undefined);
    expect(readFileSync(log(), 'utf8')).toBe('new\n');
  });
});
