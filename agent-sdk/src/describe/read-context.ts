/**
 * Reads what a describer wants to know of the files a call touches, before it is asked. The paths come from a model:
 * nothing outside the roots is read, by whatever link, and nothing that is no plain file is waited for. Must not know
 * tools.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { CallArguments } from './call.js';
import type { DescribeContext, FileContent } from './describer.js';
import type { CallContext, Registry } from './registry.js';

/** Larger files are not read. */
export const MAX_FILE_BYTES = 1024 * 1024;
/** Of all files of one call together. */
export const MAX_CALL_BYTES = 4 * 1024 * 1024;
/** A file system that does not answer must not hold an approval up. */
export const READ_TIMEOUT_MS = 2_000;

export interface ReadOptions extends Omit<CallContext, 'files'> {
  /** Directories whose files may be read, absolute. None: nothing is read. */
  readonly roots: readonly string[];
}

/** The context of a call, its files read. Never rejects: what cannot be read is a problem by name. */
export async function readDescribeContext(
  registry: Pick<Registry, 'reads'>,
  toolName: string,
  call: CallArguments,
  { roots, ...around }: ReadOptions,
): Promise<DescribeContext> {
  const files = new Map<string, FileContent>();
  const paths = roots.length === 0 ? [] : registry.reads(toolName, call, around);
  const realRoots = paths.length === 0 ? [] : await realPathsOf(roots);
  let left = MAX_CALL_BYTES;
  for (const path of paths) {
    const content = await withinTime(contentOf(locate(path, around), realRoots, left));
    left -= 'text' in content ? content.text.length : 0;
    files.set(path, content);
  }
  return { ...around, toolName, files };
}

async function realPathsOf(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    roots.filter(isAbsolute).map((root) => realpath(root).catch(() => undefined)),
  );
  return found.filter((root) => root !== undefined);
}

/** An absolute path, or undefined when nobody can say where a relative one begins. */
function locate(path: string, { cwd, home }: Pick<CallContext, 'cwd' | 'home'>): string | undefined {
  if (path === '~' || path.startsWith('~/'))
    return home === undefined ? undefined : join(home, path.slice(1));
  if (isAbsolute(path)) return resolve(path);
  return cwd !== undefined && isAbsolute(cwd) ? resolve(cwd, path) : undefined;
}

/** The content, or that it could not be read, after {@link READ_TIMEOUT_MS} at the latest. */
export async function withinTime(
  content: Promise<FileContent>,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<FileContent> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FileContent>((give) => {
    timer = setTimeout(() => give({ problem: 'unreadable' }), timeoutMs);
  });
  try {
    return await Promise.race([content, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function contentOf(
  path: string | undefined,
  roots: readonly string[],
  maxBytes: number,
): Promise<FileContent> {
  if (path === undefined) return { problem: 'outside' };
  try {
    const real = await realpath(path);
    if (!isInside(real, roots)) return { problem: 'outside' };
    return await readInside(real, Math.min(maxBytes, MAX_FILE_BYTES), maxBytes < MAX_FILE_BYTES);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? whyMissing(path, roots)
      : { problem: 'unreadable' };
  }
}

function isInside(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(root, real);
    return (
      way === '' || (way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way))
    );
  });
}

async function readInside(real: string, maxBytes: number, shared: boolean): Promise<FileContent> {
  // Before opening: opening a device may already do something.
  const before = await lstat(real);
  if (!before.isFile()) return { problem: 'not_regular' };
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { problem: 'not_regular' };
    // Somebody moved another file, or another directory, into its place meanwhile.
    if (stat.ino !== before.ino || stat.dev !== before.dev || (await realpath(real)) !== real) {
      return { problem: 'unreadable' };
    }
    if (stat.size > maxBytes) return { problem: shared ? 'too_many' : 'too_large', bytes: stat.size };
    return textOf(await readAll(file, maxBytes), maxBytes);
  } finally {
    await file.close();
  }
}

/** A file may grow while it is read, and some say they are empty and are not. */
async function readAll(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function textOf(bytes: Uint8Array, maxBytes: number): FileContent {
  if (bytes.length > maxBytes) return { problem: 'too_large', bytes: bytes.length };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'binary', bytes: bytes.length } : { text };
  } catch {
    return { problem: 'binary', bytes: bytes.length };
  }
}

/** Missing inside the roots, or nobody's business. A link to nothing is not missing: writing would follow it. */
async function whyMissing(path: string, roots: readonly string[]): Promise<FileContent> {
  if (
    await lstat(path).then(
      () => true,
      () => false,
    )
  )
    return { problem: 'unreadable' };
  let parent = dirname(path);
  let rest = basename(path);
  for (;;) {
    const real = await realpath(parent).catch(() => undefined);
    if (real !== undefined) return { problem: isInside(join(real, rest), roots) ? 'missing' : 'outside' };
    if (parent === dirname(parent)) return { problem: 'outside' };
    rest = join(basename(parent), rest);
    parent = dirname(parent);
  }
}
