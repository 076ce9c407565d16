/** A store whose thread ends by itself: the relay does not go on as if nothing had happened. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { RawPeer } from '../support/relay/raw-peer.js';

const SERVER = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const PRELOADED = ['typescript-loader.mjs', 'ending-store.mjs'].flatMap((name) => [
  '--import',
  new URL(`../support/${name}`, import.meta.url).href,
]);

vi.setConfig({ testTimeout: 60_000 });

const dir = mkdtempSync(join(tmpdir(), 'countersign-store-failure-'));
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

it('a relay whose store has ended says goodbye, says why, and exits with 1; the file opens again', async () => {
  const run = async () => {
    const env = {
      PATH: process.env.PATH,
      COUNTERSIGN_RELAY_STORE: join(dir, 'relay.sqlite'),
      COUNTERSIGN_RELAY_PORT: '0',
      COUNTERSIGN_RELAY_OPS_PORT: 'off',
    };
    const started = spawn(process.execPath, [...PRELOADED, SERVER], { env, cwd: dir });
    child = started;
    const output = { out: '', err: '' };
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.err += text;
    });
    started.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text;
    });
    while (!output.out.includes('what is said')) await once(started.stdout, 'data');
    return { started, output, url: /listens on (\S+)/.exec(output.out)?.[1] ?? '' };
  };
  const { started, output, url } = await run();
  const peer = new RawPeer(url);
  await peer.next('challenge');
  started.kill('SIGUSR2');
  expect((await peer.whenClosed()).code).toBe(1001);
  const [code] = started.exitCode === null ? await once(started, 'close') : [started.exitCode];
  expect(code).toBe(1);
  expect(output.err).toContain('the store has failed');
  expect(output.err).toMatch(/"event":"store_failed".*"operation":"run"/);
  const again = await run();
  expect(again.url).toMatch(/^ws:/);
});
