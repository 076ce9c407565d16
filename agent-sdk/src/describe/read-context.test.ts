import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  MAX_CALL_BYTES,
  MAX_FILE_BYTES,
  READ_TIMEOUT_MS,
  readDescribeContext,
  withinTime,
} from './read-context.js';

let root = '';
let elsewhere = '';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'describe-')));
  elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'elsewhere-')));
});

afterEach(() => {
  for (const directory of [root, elsewhere]) rmSync(directory, { recursive: true });
});

/** What is read of these paths. */
async function read(
  paths: readonly string[],
  options: { roots?: string[]; cwd?: string; home?: string } = {},
) {
  const around = { roots: [root], cwd: root, ...options };
  const context = await readDescribeContext({ reads: () => paths }, 'tool', {}, around);
  return context.files;
}

async function readOne(path: string, options = {}) {
  return (await read([path], options)).get(path);
}

describe('a file that a call touches', () => {
  it('is read by its absolute path, from the working directory and from home', async () => {
    writeFileSync(join(root, 'a.txt'), 'héllo\r\n');
    const text = { text: 'héllo\r\n' };
    expect(await readOne(join(root, 'a.txt'))).toEqual(text);
    expect(await readOne('a.txt')).toEqual(text);
    expect(await readOne('./x/../a.txt')).toEqual(text);
    expect(await readOne('~/a.txt', { home: root })).toEqual(text);
  });

  it('is missing, binary or too large', async () => {
    expect(await readOne('none.txt')).toEqual({ problem: 'missing' });
    expect(await readOne('no/such/directory.txt')).toEqual({ problem: 'missing' });
    writeFileSync(join(root, 'bin'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await readOne('bin')).toEqual({ problem: 'binary', bytes: 3 });
    writeFileSync(join(root, 'nul'), 'a\0b');
    expect(await readOne('nul')).toEqual({ problem: 'binary', bytes: 3 });
    writeFileSync(join(root, 'fits'), 'x'.repeat(MAX_FILE_BYTES));
    expect(await readOne('fits')).toHaveProperty('text');
    writeFileSync(join(root, 'large'), 'x'.repeat(MAX_FILE_BYTES + 1));
    expect(await readOne('large')).toEqual({ problem: 'too_large', bytes: MAX_FILE_BYTES + 1 });
  });

  it('is not waited for when it is a pipe, a socket, a device or a directory', async () => {
    execFileSync('mkfifo', [join(root, 'fifo')]);
    expect(await readOne('fifo')).toEqual({ problem: 'not_regular' });
    expect(await readOne('/dev/zero', { roots: ['/'] })).toEqual({ problem: 'not_regular' });
    mkdirSync(join(root, 'dir'));
    expect(await readOne('dir')).toEqual({ problem: 'not_regular' });
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((ready) => server.once('listening', ready));
    expect(await readOne('socket')).toEqual({ problem: 'not_regular' });
    server.close();
  });

  it('is not read outside the roots, by no way that leads there', async () => {
    writeFileSync(join(elsewhere, 'secret'), 'secret');
    symlinkSync(join(elsewhere, 'secret'), join(root, 'link'));
    symlinkSync(elsewhere, join(root, 'links'));
    const way = `../${elsewhere.split('/').at(-1)}/secret`;
    for (const path of [
      join(elsewhere, 'secret'),
      'link',
      'links/secret',
      way,
      `${root}x/secret`,
      '/etc/passwd',
    ]) {
      expect([path, await readOne(path)]).toEqual([path, { problem: 'outside' }]);
    }
  });

  it('says nothing of what is or is not there outside', async () => {
    symlinkSync(elsewhere, join(root, 'links'));
    expect(await readOne(join(elsewhere, 'none'))).toEqual({ problem: 'outside' });
    expect(await readOne('links/none')).toEqual({ problem: 'outside' });
    expect(await readOne('/proc/self/none', { roots: [root] })).toEqual({ problem: 'outside' });
  });

  it('is read by a link that stays inside, and a link to nothing is no missing file', async () => {
    writeFileSync(join(root, 'a.txt'), 'a');
    symlinkSync(join(root, 'a.txt'), join(root, 'link'));
    symlinkSync(join(root, 'none'), join(root, 'dangling'));
    symlinkSync(join(root, 'loop'), join(root, 'loop'));
    expect(await readOne('link')).toEqual({ text: 'a' });
    expect(await readOne('dangling')).toEqual({ problem: 'unreadable' });
    expect(await readOne('loop')).toEqual({ problem: 'unreadable' });
  });

  it('is read from a root that is a link itself', async () => {
    writeFileSync(join(root, 'a.txt'), 'a');
    symlinkSync(root, join(elsewhere, 'root'));
    expect(await readOne(join(elsewhere, 'root', 'a.txt'), { roots: [join(elsewhere, 'root')] })).toEqual({
      text: 'a',
    });
  });

  it('is nowhere when nobody knows where a relative path begins', async () => {
    expect(await readOne('a.txt', { cwd: undefined })).toEqual({ problem: 'outside' });
    expect(await readOne('a.txt', { cwd: 'relative' })).toEqual({ problem: 'outside' });
    expect(await readOne('~/a.txt', { home: undefined })).toEqual({ problem: 'outside' });
  });

  it('is not read when others were already as much as one call may read', async () => {
    const count = MAX_CALL_BYTES / MAX_FILE_BYTES;
    const names = Array.from({ length: count + 1 }, (_, i) => `f${i}`);
    for (const name of names) writeFileSync(join(root, name), 'x'.repeat(MAX_FILE_BYTES));
    const files = await read(names);
    expect(files.get(`f${count - 1}`)).toHaveProperty('text');
    expect(files.get(`f${count}`)).toEqual({ problem: 'too_many', bytes: MAX_FILE_BYTES });
  });

  it('is not waited for without end', async () => {
    expect(await withinTime(new Promise(() => {}), 1)).toEqual({ problem: 'unreadable' });
    expect(await withinTime(Promise.resolve({ text: 'x' }))).toEqual({ text: 'x' });
    expect(READ_TIMEOUT_MS).toBeLessThanOrEqual(5_000);
  });

  it('is not even asked for when there are no roots', async () => {
    const asked: string[] = [];
    const registry = {
      reads(toolName: string) {
        asked.push(toolName);
        return ['a'];
      },
    };
    const context = await readDescribeContext(registry, 'tool', {}, { roots: [], cwd: root });
    expect([asked, context.files.size, context.cwd]).toEqual([[], 0, root]);
  });
});
