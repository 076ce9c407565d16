/** The state directory of a device: private, locked, replaced atomically, never silently emptied. */
import {
  chmod,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileStorage } from './file-storage.js';

let root: string;
let directory: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'countersign-file-'));
  directory = join(root, 'state');
});
afterEach(() => rm(root, { recursive: true }));

const state = () => join(directory, 'state.json');
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function written(value: unknown = 'kept'): Promise<void> {
  const storage = await fileStorage({ directory });
  await storage.transaction((tx) => tx.put('meta', 'key', value));
  await storage.close();
}

async function failure(): Promise<{ code: string; message: string }> {
  try {
    await (await fileStorage({ directory })).close();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it opened');
}

describe('a state directory', () => {
  it('is private to its owner, with everything in it', async () => {
    await written();
    expect(await modeOf(directory)).toBe('700');
    for (const name of await readdir(directory)) expect(await modeOf(join(directory, name))).toBe('600');
    expect((await readdir(directory)).toSorted()).toEqual(['lock', 'state.json']);
  });

  it.each([0o750, 0o701, 0o777])(
    'that others may enter (%o) is refused, with the command that mends it',
    async (mode) => {
      await mkdir(directory);
      await chmod(directory, mode);
      const { code, message } = await failure();
      expect(code).toBe('state_permissions');
      expect(message).toContain(`chmod 700 ${directory}`);
    },
  );

  it('with a state file that others may read is refused', async () => {
    await written();
    await chmod(state(), 0o644);
    expect(await failure()).toMatchObject({
      code: 'state_permissions',
      message: expect.stringContaining('chmod 600'),
    });
  });

  it('with a state file that leads elsewhere is refused', async () => {
    await written();
    await rename(state(), join(root, 'elsewhere.json'));
    await symlink(join(root, 'elsewhere.json'), state());
    expect((await failure()).code).toBe('state_permissions');
  });

  it('is taken by one at a time, and says by whom', async () => {
    const storage = await fileStorage({ directory });
    const error = await failure();
    expect(error).toMatchObject({
      code: 'directory_in_use',
      details: { pid: process.pid, program: expect.any(String), since: expect.stringMatching(/^\d{4}-/) },
    });
    expect(error.message).toContain(String(process.pid));
    await storage.close();
    await written();
  });
});

describe('a state file', () => {
  const damages: [string, () => Promise<void>][] = [
    ['emptied', () => truncate(state(), 0)],
    ['cut short', async () => truncate(state(), (await stat(state())).size - 4)],
    [
      'with a changed byte',
      async () => writeFile(state(), (await readFile(state(), 'utf8')).replace('kept', 'kepT')),
    ],
    ['with lines after its end', async () => writeFile(state(), `${await readFile(state(), 'utf8')}more\n`)],
    ['of another program', () => writeFile(state(), '{"format":"x","v":1}\n{}\n')],
    ['that is no text', () => writeFile(state(), Buffer.from([0xff, 0x00, 0xfe]))],
  ];

  it.each(damages)('%s is named as corrupt, with what to do, and left as it is', async (_, damage) => {
    await written();
    await damage();
    const before = await readFile(state());
    const { code, message } = await failure();
    expect(code).toBe('state_corrupt');
    expect(message).toContain(state());
    expect(message).toMatch(/copy|move it away/);
    expect(await readFile(state())).toEqual(before);
  });

  it('of a newer version is left to a newer program', async () => {
    await written();
    await writeFile(state(), (await readFile(state(), 'utf8')).replace('"v":1', '"v":2'));
    expect((await failure()).code).toBe('state_newer');
  });

  it('left half written beside the old one is not looked at', async () => {
    await written();
    await writeFile(`${state()}.new`, '{"for', { mode: 0o600 });
    await written('again');
    expect(await readFile(state(), 'utf8')).toContain('again');
  });

  it('is not written by a transaction that only reads', async () => {
    await written();
    const before = await stat(state(), { bigint: true });
    const storage = await fileStorage({ directory });
    await storage.transaction((tx) => tx.get('meta', 'key'));
    await storage.close();
    expect((await stat(state(), { bigint: true })).ino).toBe(before.ino);
  });

  it('that cannot be written leaves what was there, in the file and in memory', async () => {
    const storage = await fileStorage({ directory });
    await storage.transaction((tx) => tx.put('meta', 'key', 'before'));
    // A directory in the way of the temporary file: as a full disk, it fails before the rename.
    await mkdir(`${state()}.new`);
    const failing = storage.transaction((tx) => tx.put('meta', 'key', 'after'));
    await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storage.transaction((tx) => tx.get('meta', 'key'))).toBe('before');
    await rm(`${state()}.new`, { recursive: true });
    await storage.transaction((tx) => tx.put('meta', 'key', 'after'));
    await storage.close();
    expect(await readFile(state(), 'utf8')).toContain('after');
  });

  it('on a full disk says so, keeps what was there, and leaves nothing half written', async () => {
    const storage = await fileStorage({ directory });
    await storage.transaction((tx) => tx.put('meta', 'key', 'before'));
    const full = await diskFull();
    const failing = storage.transaction((tx) => tx.put('meta', 'key', 'after'));
    await expect(failing).rejects.toMatchObject({ code: 'storage_full' });
    full.mockRestore();
    expect((await readdir(directory)).toSorted()).toEqual(['lock', 'state.json']);
    expect(await storage.transaction((tx) => tx.get('meta', 'key'))).toBe('before');
    await storage.transaction((tx) => tx.put('meta', 'key', 'after'));
    await storage.close();
    expect(await readFile(state(), 'utf8')).toContain('after');
  });
});

/** Every write to an open file fails as on a full disk. */
async function diskFull() {
  const file = await open(state(), 'r');
  const handles = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  const noSpace = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  return vi.spyOn(handles, 'writeFile').mockRejectedValue(noSpace);
}
