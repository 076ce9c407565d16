/**
 * Storage in one directory: `state.json`, replaced atomically, and `lock`. Node only.
 * Must not know what the records mean.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { closedError, emptyRecords, Overlay, type Records, Serial } from '../records.js';
import type { Storage, StorageTx } from '../storage.js';
import { type DirectoryLock, lockDirectory } from './directory-lock.js';
import { openDirectory, readPrivateFile } from './private-files.js';
import { decodeState, encodeState } from './state-text.js';

export interface FileStorageOptions {
  /** Created with mode 0700; refused when its mode, or that of a file in it, is wider (not checked on Windows). */
  directory: string;
}

const STATE_FILE = 'state.json';

/**
 * Opens, or creates, a directory of state and locks it for this process.
 *
 * @throws CountersignError `directory_in_use` (with pid, program, since), `state_permissions`, `state_corrupt`,
 * `state_newer`, `unsupported` (no file locks on this platform).
 */
export async function fileStorage(options: FileStorageOptions): Promise<Storage> {
  await openDirectory(options.directory);
  const lock = await lockDirectory(options.directory);
  try {
    const path = join(options.directory, STATE_FILE);
    const text = await readPrivateFile(path);
    const records = text === undefined ? emptyRecords() : decodeState(text, path);
    return new FileStorage(options.directory, lock, records);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class FileStorage implements Storage {
  readonly kind = 'file';
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #serial = new Serial();
  #records: Records;
  #closed = false;
  /** Set when a write may or may not have reached the disk: going on could repeat a counter. */
  #broken: CountersignError | undefined;

  constructor(directory: string, lock: DirectoryLock, records: Records) {
    this.#directory = directory;
    this.#lock = lock;
    this.#records = records;
  }

  async transaction<T>(body: (tx: StorageTx) => T | Promise<T>): Promise<T> {
    this.#assertOpen();
    return this.#serial.run(async () => {
      if (this.#broken !== undefined) throw this.#broken;
      const overlay = new Overlay(this.#records);
      const result = await body(overlay);
      if (overlay.changed) await this.#commit(overlay.merged());
      return result;
    });
  }

  async protect(secret: Uint8Array): Promise<Uint8Array> {
    this.#assertOpen();
    return secret.slice();
  }

  async reveal(secret: Uint8Array): Promise<Uint8Array> {
    this.#assertOpen();
    return secret.slice();
  }

  /** The directory's lock is held since it was opened. */
  async own(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#serial.idle();
    this.#lock.release();
  }

  async #commit(next: Records): Promise<void> {
    const path = join(this.#directory, STATE_FILE);
    const temporary = `${path}.new`;
    try {
      await writeDurably(temporary, encodeState(next));
    } catch (error) {
      // What was written of it would only keep the disk full.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw writeError(error, path);
    }
    try {
      await rename(temporary, path);
      await syncDirectory(this.#directory);
    } catch (error) {
      this.#broken = writeError(error, path);
      throw this.#broken;
    }
    this.#records = next;
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await withFile(await open(path, 'w', 0o600), async (file) => {
    await file.chmod(0o600);
    await file.writeFile(text, 'utf8');
    await file.sync();
  });
}

/** Makes the rename itself durable; Windows has no handle on a directory. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await withFile(await open(directory, 'r'), (handle) => handle.sync());
}

async function withFile(file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

function writeError(error: unknown, path: string): CountersignError {
  const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (cause === 'ENOSPC' || cause === 'EDQUOT') {
    return new CountersignError(
      'storage_full',
      `The disk is full: ${path} was not changed. Make room and try again.`,
    );
  }
  return new CountersignError('unavailable', `${path} could not be written (${cause}).`, {
    details: { cause },
  });
}
