import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { runCommandLine } from '../command-line.js';

const EMAIL = JSON.stringify({ to: 'ann@example.org', subject: 'Plan <b>', body: 'Hello' });
let rig: CommandRig;
let place: string;

beforeAll(() => {
  rig = new CommandRig(runCommandLine);
  place = mkdtempSync(join(tmpdir(), 'cs-describe-'));
  writeFileSync(join(rig.dir, 'email.json'), EMAIL);
  mkdirSync(join(place, 'sub'));
});
afterAll(async () => {
  rmSync(place, { recursive: true });
  await rig.close();
});

const run = (args: readonly string[], options = {}) => rig.run(['describe', ...args], options);

describe('describe', () => {
  it('shows a call as a terminal would, and the risk', async () => {
    const { exitCode, stdout, stderr } = await run([
      '--tool',
      'tracker_close',
      '--args',
      '{"issue":7,"note":"a\\nb"}',
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^tracker_close.*\n/);
    expect(stdout).toContain('\nissue: 7\nnote:\n    a\n    b\n\nRisk: normal');
  });

  it.each([
    ['a file', ['--args', 'email.json'], ''],
    ['a file as ask takes it', ['--args', '@email.json'], ''],
    ['JSON itself', ['--args', EMAIL], ''],
    ['standard input', ['--args', '-'], EMAIL],
  ])('takes arguments from %s', async (_, args, input) => {
    const { stdout } = await run(['--tool', 'send_email', ...args], { input });
    expect(stdout).toContain('ann@example.org');
    expect(stdout).toContain('Plan <b>');
  });

  it.each([
    ['telegram', 'Plan &lt;b&gt;'],
    ['slack', '"type": "rich_text"'],
    ['discord', 'Plan \\<b\\>'],
    ['matrix', 'Plan &lt;b&gt;'],
  ])('shows it as %s would, and what may be pressed', async (form, part) => {
    const { stdout, stderr } = await run(['--tool', 'send_email', '--args', EMAIL, '--as', form]);
    expect(stdout).toContain(part);
    expect(stderr).toBe('offers: approve, reject, open on phone\n');
  });

  it('says how many messages there are', async () => {
    const args = JSON.stringify({ note: 'long '.repeat(1000) });
    const { stderr } = await run(['--tool', 'x', '--args', args, '--as', 'discord']);
    expect(stderr).toMatch(/^message 1 of 3\nmessage 2 of 3\nmessage 3 of 3\noffers/);
  });

  it('prints view and risk for programs', async () => {
    const { stdout } = await run(['--tool', 'x', '--args', '{"token":"abc"}', '--as', 'json']);
    const printed = JSON.parse(stdout) as Record<string, unknown>;
    expect(printed).toMatchObject({ v: 1, risk: { level: 'normal', reasons: [] } });
    expect(printed.view).toMatchObject({ v: 1, blocks: [{ key: 'token', value_type: 'secret' }] });
  });

  it('shows numbers that JavaScript would round as they were written', async () => {
    const { stdout } = await run(['--tool', 'x', '--args', '{"id":12345678901234567890}']);
    expect(stdout).toContain('12345678901234567890');
  });

  it('reads the present content of files below the directory of the call, and of no others', async () => {
    writeFileSync(join(place, 'sub', 'a.txt'), 'one\n');
    const call = ['--tool', 'write_file', '--args', '{"path":"a.txt","content":"two\\n"}'];
    expect((await run([...call, '--cwd', join(place, 'sub')])).stdout).toContain('- one');
    const outside = ['--tool', 'write_file', '--args', `{"path":"${place}/sub/a.txt","content":"two\\n"}`];
    expect((await run(outside)).stdout).not.toContain('- one');
  });

  it('takes the definition of a tool, or its schema alone', async () => {
    const schema = {
      type: 'object',
      properties: { due: { title: 'Due date', type: 'string', format: 'date' } },
    };
    writeFileSync(
      join(rig.dir, 'tool.json'),
      JSON.stringify({ name: 't', title: 'Plan', inputSchema: schema }),
    );
    writeFileSync(join(rig.dir, 'schema.json'), JSON.stringify(schema));
    for (const file of ['tool.json', 'schema.json']) {
      const { exitCode, stdout } = await run([
        '--tool',
        't',
        '--args',
        '{"due":"2026-01-02"}',
        '--schema',
        file,
      ]);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('2026-01-02')]);
    }
  });

  it.each([
    [['--args', '{}'], '--tool'],
    [['--tool', 'x'], '--args'],
    [['--tool', 'x', '--args', '{'], 'not JSON'],
    [['--tool', 'x', '--args', 'no-such-file'], 'cannot be read'],
    [['--tool', 'x', '--args', '{}', '--as', 'fax'], 'telegram'],
    [['--tool', 'x', '--args', '{}', '--schema', 'no-such-file'], 'cannot be read'],
  ])('%j is wrong usage', async (args, why) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
  });

  it('refuses a schema that is no object', async () => {
    writeFileSync(join(rig.dir, 'list.json'), '[]');
    const { exitCode } = await run(['--tool', 'x', '--args', '{}', '--schema', 'list.json']);
    expect(exitCode).toBe(2);
  });
});
