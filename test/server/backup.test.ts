/** `countersign-relay backup`: a copy while the relay works, and a relay on the copy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backUpSqlite } from '@countersign/server/adapters/store/sqlite';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Keys, newKeys } from '../support/relay/raw-peer.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const LOADER = new URL('../support/typescript-loader.mjs', import.meta.url).href;

vi.setConfig({ testTimeout: 60_000 });

let dir: string;
let store: string;
let scene: RelayScene | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-backup-'));
  store = join(dir, 'relay.sqlite');
});
afterEach(async () => {
  await scene?.close();
  scene = undefined;
  rmSync(dir, { recursive: true });
});

/** The command as an operator runs it, beside the relay. */
async function backup(file: string) {
  const env = { PATH: process.env.PATH, COUNTERSIGN_RELAY_STORE: store };
  const child = spawn(process.execPath, ['--import', LOADER, MAIN, 'backup', file], { env, cwd: dir });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('a backup', () => {
  it('taken under load is a relay of its own with all that was accepted before, and is never overwritten', async () => {
    const capabilities = ['ref'];
    scene = await RelayScene.open({
      store,
      agentQueueMessages: 1e6,
      agentQueueBytes: 1e9,
      bucketMessages: 1e6,
    });
    const agent = await scene.agent(newKeys(), { capabilities });
    const [keys] = (await scene.pair(agent)) as [Keys];
    let sent = 0;
    const send = () => agent.peer.send({ ...sealed(keys.publicKey, false, 4000), ref: BigInt(++sent) });
    while (sent < 300) send();
    await agent.peer.until(() => agent.peer.frames.length >= 300);

    const copy = join(dir, 'copy.sqlite');
    let isDone = false;
    const making = backup(copy).finally(() => {
      isDone = true;
    });
    // As many as are accepted: each answer brings the next.
    for (let accepted = 300; !isDone; accepted++) {
      send();
      await agent.peer.until(() => isDone || agent.peer.frames.length > accepted);
      if (isDone) break;
    }
    expect(await making).toEqual({ code: 0, output: `${copy}: ${statSync(copy).size} bytes\n` });
    expect(sent).toBeGreaterThan(310);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite']);

    const before = readFileSync(copy);
    expect(await backup(copy)).toMatchObject({ code: 1, output: expect.stringContaining('exists already') });
    expect(readFileSync(copy).equals(before)).toBe(true);

    await scene.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${store}${end}`, { force: true });
    copyFileSync(copy, store);
    scene = await RelayScene.open({ store });
    const device = await scene.client(agent.namespaceId, keys, { capabilities: ['received'] });
    const seqs: bigint[] = [];
    while (seqs.length < 300) {
      const { seq = 0n } = await device.peer.next('message');
      seqs.push(seq);
      device.peer.send({ type: 'received', seq });
    }
    expect(seqs).toEqual(Array.from({ length: 300 }, (_, i) => (seqs[0] as bigint) + BigInt(i)));
    const again = await scene.agent(agent.keys, { capabilities });
    expect(await scene.authorize(again, [keys])).toBe(1);
  });

  it('of what is no relay file is refused and leaves nothing', async () => {
    const to = join(dir, 'copy.sqlite');
    await expect(backUpSqlite(store, to)).rejects.toMatchObject({ code: 'not_found' });
    writeFileSync(store, 'not a database at all, but long enough to be read as one');
    await expect(backUpSqlite(store, to)).rejects.toMatchObject({ code: 'state_corrupt' });
    rmSync(store);
    new Sqlite(store).exec('CREATE TABLE theirs (x)').close();
    await expect(backUpSqlite(store, to)).rejects.toMatchObject({ code: 'state_corrupt' });
    await expect(backUpSqlite(store, join(dir, 'nowhere', 'copy'))).rejects.toMatchObject({
      code: expect.stringMatching(/unavailable|state_permissions/),
    });
    expect(readdirSync(dir)).toEqual(['relay.sqlite']);
  });

  it('of a store in memory is refused', async () => {
    store = 'memory';
    expect(await backup(join(dir, 'copy.sqlite'))).toMatchObject({ code: 2 });
  });
});
