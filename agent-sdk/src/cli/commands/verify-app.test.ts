/** The signed list against a host that serves it, and against one that changed a file. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRig } from '../../../../test/support/command-rig.js';
import { signList, writeList } from '../../../../web/release-files.mjs';
import { runCommandLine } from '../command-line.js';
import { MAX_FILE_BYTES, MAX_FILES, MAX_LIST_BYTES } from './verify-app.js';

const { privateKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

let rig: CommandRig;
let folder: string;
let server: Server;
let url: string;
let key: string;

beforeEach(async () => {
  rig = new CommandRig(runCommandLine);
  folder = mkdtempSync(join(tmpdir(), 'countersign-app-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'index-1.js'), 'let a;');
  writeFileSync(join(folder, 'index.html.gz'), 'not listed');
  writeList(folder, '1.2.3');
  key = signList(folder, pem);
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/app\//, '') || 'index.html';
    try {
      response.end(readFileSync(join(folder, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/app`;
});

afterEach(async () => {
  server.close();
  rmSync(folder, { recursive: true });
  await rig.close();
});

const verify = (given = key) => rig.run(['verify-app', url, '--key', given]);
const change = (path: string, content: string | Buffer) => writeFileSync(join(folder, path), content);

describe('verify-app', () => {
  it('says that every file is what was signed', async () => {
    expect(await verify()).toMatchObject({
      exitCode: 0,
      stdout: 'All 2 files of version 1.2.3 are those that were signed.\n',
    });
  });

  it.each([
    ['assets/index-1.js', 'let b;'],
    ['index.html', '<!doctype html><script src="evil.js"></script>'],
  ])('names the file that was changed: %s', async (path, content) => {
    change(path, content);
    const { exitCode, stderr } = await verify();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Not what was signed: ${path}`)]);
  });

  it('names a file that is not there, and one that never ends', async () => {
    rmSync(join(folder, 'assets', 'index-1.js'));
    change('index.html', Buffer.alloc(MAX_FILE_BYTES + 1));
    const { stderr } = await verify();
    expect(stderr).toContain('assets/index-1.js');
    expect(stderr).toContain('index.html');
  });

  it('believes no list but that of the key', async () => {
    const other = generateKeyPairSync('ed25519').privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    }) as string;
    change('assets/index-1.js', 'let b;');
    writeList(folder, '1.2.3');
    signList(folder, other);
    expect(await verify()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not signed by this key'),
    });
  });

  it.each([
    ['is missing', () => rmSync(join(folder, 'files.json.sig')), 'no signed list'],
    ['is too large', () => change('files.json', Buffer.alloc(MAX_LIST_BYTES + 1)), 'no signed list'],
    ['leads out of the app', () => list({ '../secret': 'a'.repeat(64) }), 'does not know'],
    ['holds no hashes', () => list({ 'index.html': 'x' }), 'does not know'],
    ['is empty', () => list({}), 'does not know'],
    [
      'is endless',
      () =>
        list(
          Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, at) => [`f${at}`, 'a'.repeat(64)])),
        ),
      'does not know',
    ],
  ] as const)('takes no list that %s', async (_, spoil, says) => {
    spoil();
    expect(await verify()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(says) });
  });

  it('needs a key and an address', async () => {
    expect((await verify('abc')).exitCode).toBe(2);
    expect((await rig.run(['verify-app', 'relay.example', '--key', key])).exitCode).toBe(2);
  });
});

function list(files: Record<string, string>): void {
  change('files.json', JSON.stringify({ v: 1, version: '1', files }));
  signList(folder, pem);
}
