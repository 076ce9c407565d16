/**
 * The state directory and the seed in it: made private when created, refused when others may read or change
 * them. Must not know what a seed is good for.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { CountersignError, SEAL } from '@countersign/protocol';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const SEED_FILE = 'seed';
/** Windows has no such modes; its access lists protect the user's profile directory. */
const hasModes = process.platform !== 'win32';

/** Creates the directory 0700. @throws CountersignError `state_permissions` when it is no directory or others may write in it. */
export function preparePrivateDirectory(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new CountersignError('state_permissions', `The state directory ${dir} cannot be created.`, {
      cause,
    });
  }
  const mode = statSync(dir).mode & 0o777;
  if (hasModes && (mode & OTHERS_WRITE) !== 0) {
    throw new CountersignError(
      'state_permissions',
      `Other users may write in ${dir} (mode ${mode.toString(8)}). Run: chmod 700 ${dir}`,
      { details: { mode: mode.toString(8) } },
    );
  }
}

/**
 * The seed of 32 bytes, or undefined when there is none.
 * @throws CountersignError `seed_permissions` when others may read it, `state_corrupt` when it is no seed.
 */
export function readSeed(dir: string): Uint8Array | undefined {
  const path = join(dir, SEED_FILE);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile()) throw badSeed(path, 'is not a plain file');
  const mode = stat.mode & 0o777;
  if (hasModes && (mode & OTHERS) !== 0) throw openSeed(path, mode);
  const seed = readBytes(path);
  if (seed.length !== SEAL.seedBytes)
    throw badSeed(path, `has ${seed.length} bytes instead of ${SEAL.seedBytes}`);
  return seed;
}

/** Writes the seed whole or not at all, durable when it returns. */
export function writeSeed(dir: string, seed: Uint8Array): void {
  const path = join(dir, SEED_FILE);
  const next = `${path}.new`;
  const fd = openSync(next, 'w', 0o600);
  try {
    writeSync(fd, seed);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(next, path);
  syncDirectory(dir);
}

function syncDirectory(dir: string): void {
  if (!hasModes) return;
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readBytes(path: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new CountersignError('seed_permissions', `The seed ${path} cannot be read by this user.`, {
      cause,
    });
  }
}

function openSeed(path: string, mode: number): CountersignError {
  return new CountersignError(
    'seed_permissions',
    `Other users may read the seed ${path} (mode ${mode.toString(8)}). Run: chmod 600 ${path}`,
    { details: { mode: mode.toString(8) } },
  );
}

function badSeed(path: string, what: string): CountersignError {
  return new CountersignError(
    'state_corrupt',
    `The seed ${path} ${what}; it was left as it is. Restore it from a backup, or remove the directory and pair again.`,
  );
}
