/**
 * Where the socket of a directory lives. Normally `agent.sock` in it; a path too long for a socket address moves to
 * a private temporary directory, and `agent.sock.path` says where. Must not know what is spoken.
 */
import { chmodSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SOCKET_LIMITS } from './limits.js';

const SOCKET_FILE = 'agent.sock';
const POINTER_FILE = 'agent.sock.path';
const TEMPORARY_PREFIX = 'countersign-';
/** Room for the directory in which a socket is bound before it takes its name. */
const BINDING_SUFFIX = '/.sock-XXXXXX/s';
const MAX_POINTER_BYTES = 4096;
const OTHERS = 0o077;

/**
 * The socket's present path: the one in the directory, or where its pointer says, if nobody else can have put a socket
 * there: a temporary directory that was swept may be another user's by now. Says nothing of whether anyone listens.
 */
export function findSocket(dir: string): string {
  const elsewhere = readPointer(dir);
  const isOurs = elsewhere !== undefined && isOurTemporary(elsewhere);
  return isOurs ? elsewhere : join(resolve(dir), SOCKET_FILE);
}

/**
 * Binds `server` to the directory's socket, 0600 from its first moment: it is bound in a fresh 0700 directory and
 * then renamed, which also replaces what a killed owner left. The caller owns the directory (its lock).
 */
export async function bindSocket(server: Server, dir: string): Promise<{ path: string; remove: () => void }> {
  removeSocket(dir);
  const base = resolve(dir);
  const home = fits(base) ? base : mkdtempSync(join(shortTemporary(), TEMPORARY_PREFIX));
  const binding = mkdtempSync(join(home, '.sock-'));
  const path = join(home, SOCKET_FILE);
  try {
    await listen(server, join(binding, 's'));
    chmodSync(join(binding, 's'), 0o600);
    renameSync(join(binding, 's'), path);
  } finally {
    rmSync(binding, { recursive: true, force: true });
  }
  if (home !== base) writePointer(dir, path);
  return { path, remove: () => removeSocket(dir) };
}

function fits(base: string): boolean {
  return Buffer.byteLength(base + BINDING_SUFFIX) <= SOCKET_LIMITS.maxPathBytes;
}

function shortTemporary(): string {
  const own = resolve(tmpdir());
  return fits(join(own, `${TEMPORARY_PREFIX}XXXXXX`)) ? own : '/tmp';
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((settled, failed) => {
    server.once('error', failed);
    server.listen(path, () => {
      server.off('error', failed);
      settled();
    });
  });
}

function removeSocket(dir: string): void {
  const elsewhere = readPointer(dir);
  if (elsewhere !== undefined && isOurTemporary(elsewhere)) {
    rmSync(dirname(elsewhere), { recursive: true, force: true });
  }
  rmSync(join(dir, POINTER_FILE), { force: true });
  rmSync(join(dir, SOCKET_FILE), { force: true });
}

/** Only what {@link bindSocket} made is used or removed, whatever a pointer says. */
function isOurTemporary(path: string): boolean {
  const home = dirname(path);
  const stat = lstatSync(home, { throwIfNoEntry: false });
  const made = home.startsWith(join(dirname(home), TEMPORARY_PREFIX)) && path === join(home, SOCKET_FILE);
  const isPrivate = stat?.uid === process.getuid?.() && ((stat?.mode ?? OTHERS) & OTHERS) === 0;
  return made && stat?.isDirectory() === true && isPrivate;
}

function readPointer(dir: string): string | undefined {
  try {
    const path = readFileSync(join(dir, POINTER_FILE), 'utf8').slice(0, MAX_POINTER_BYTES).trim();
    return path.startsWith('/') ? path : undefined;
  } catch {
    return undefined;
  }
}

function writePointer(dir: string, path: string): void {
  const next = join(dir, `${POINTER_FILE}.new`);
  writeFileSync(next, `${path}\n`, { mode: 0o600 });
  renameSync(next, join(dir, POINTER_FILE));
}
