/** The examples of the documentation, run as their readers run them: each a process of its own, against a real relay. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type RunningRelay, startRelay } from '@countersign/server';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;

/** An example under way: what it printed so far, and its end. */
class Running {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #printed = '';
  #heard: (() => void) | undefined;

  constructor(name: string, args: readonly string[]) {
    const file = join(root, 'docs/examples', name);
    this.#child = spawn(process.execPath, ['--import', LOADER, file, ...args], { stdio: 'pipe' });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#printed += chunk.toString('utf8');
        this.#heard?.();
      });
    }
    this.ended = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
  }

  /** What the group in `pattern` matched, as soon as it was printed. @throws Error with all it printed when it ends before. */
  async prints(pattern: RegExp): Promise<string> {
    let over = false;
    const end = this.ended.then(() => {
      over = true;
    });
    for (;;) {
      const found = pattern.exec(this.#printed);
      if (found !== null) return found[1] ?? found[0];
      if (over) throw new Error(`It ended without ${pattern}:\n${this.#printed}`);
      const heard = new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
      await Promise.race([heard, end]);
    }
  }

  types(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

let relay: RunningRelay;
let dir: string;
const started: Running[] = [];

function start(name: string, ...args: string[]): Running {
  const running = new Running(name, args);
  started.push(running);
  return running;
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-docs-'));
  relay = await startRelay({ port: 0, opsPort: 'off' });
});

afterEach(async () => {
  for (const running of started.splice(0)) running.kill();
  await relay.close();
  rmSync(dir, { recursive: true });
});

it('pair a device, ask it first, and hear its answer', async () => {
  const [agentDir, deviceDir] = [join(dir, 'agent'), join(dir, 'device')];
  const pairing = start('pair-once.mjs', relay.url, agentDir);
  const link = await pairing.prints(/phone pair '([^']+)'/);
  const device = start('decide.mjs', link, deviceDir);
  pairing.types(await device.prints(/Type this code at mailer: (\S+)/));
  await pairing.prints(/Paired\./);
  expect(await pairing.ended).toBe(0);

  const asking = start('ask-first.mjs', relay.url, agentDir);
  await device.prints(/ann@example\.org/);
  expect(await asking.prints(/^\w+: .*/m)).toBe('rejected: Rejected by the human: not today');
  expect(await device.prints(/phase: '(\w+)'/)).toBe('confirmed');
  expect([await asking.ended, await device.ended]).toEqual([0, 0]);
}, 60_000);

it('are in the README word for word', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const example = readFileSync(join(root, 'docs/examples/ask-first.mjs'), 'utf8');
  expect(readme).toContain(`\`\`\`js\n${example}\`\`\``);
});
