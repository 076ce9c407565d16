/**
 * One owner per directory: a kernel lock on the file `lock`, which the kernel frees when the process ends,
 * however it ends. The text in the file only says who holds it. Must not know what the directory holds.
 */
import { closeSync, constants, fchmodSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CountersignError } from '@countersign/protocol';

export interface DirectoryLock {
  release(): void;
}

interface Holder {
  pid: number;
  program: string;
  since: string;
}

/** @throws CountersignError `directory_in_use` with `{pid, program, since}` when another holder lives. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const tryLock = await loadLock();
  const path = join(directory, 'lock');
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    fchmodSync(fd, 0o600);
    if (!locked(tryLock, fd, directory)) throw inUse(directory, readHolder(path));
    writeHolder(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return { release: () => closeSync(fd) };
}

function locked(tryLock: (fd: number) => boolean, fd: number, directory: string): boolean {
  try {
    return tryLock(fd);
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CountersignError(
      'unavailable',
      `${directory} cannot be locked (${cause}): its file system may have no locks. Use a local directory.`,
      { details: { cause } },
    );
  }
}

async function loadLock(): Promise<(fd: number) => boolean> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch {
    throw new CountersignError(
      'unsupported',
      `File locks are not available on ${process.platform}-${process.arch}; the state directory cannot be used safely here.`,
    );
  }
}

function writeHolder(fd: number): void {
  const holder: Holder = {
    pid: process.pid,
    program: basename(process.argv[1] ?? process.title),
    since: new Date().toISOString(),
  };
  ftruncateSync(fd, 0);
  writeSync(fd, JSON.stringify(holder), 0);
}

function readHolder(path: string): Partial<Holder> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function inUse(directory: string, holder: Partial<Holder>): CountersignError {
  const pid = typeof holder.pid === 'number' ? holder.pid : 0;
  const program = typeof holder.program === 'string' ? holder.program : 'another program';
  const since = typeof holder.since === 'string' ? holder.since : 'unknown';
  return new CountersignError(
    'directory_in_use',
    `${directory} is in use by ${program} (process ${pid}, since ${since}). End it, or use another directory.`,
    { details: { pid, program, since } },
  );
}
