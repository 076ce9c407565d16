/**
 * `verify-app`: whether a host serves the web app that a release key signed (02 §6). It shows tampering to who looks; a
 * host that serves another page to other visitors is not caught. Must not need a state directory.
 */
import { createHash } from 'node:crypto';
import { CountersignError, fromHex, parseUrl } from '@countersign/protocol';
import type { Command } from 'commander';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { type Io, Terminal } from '../io.js';

/** Bounds of what a host may send: the list, its signature, a file. */
export const MAX_LIST_BYTES = 1_048_576;
const MAX_SIGNATURE_BYTES = 1024;
export const MAX_FILE_BYTES = 16 * 1_048_576;
export const MAX_FILES = 1000;
const TIMEOUT_MS = 30_000;

const PATH = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[A-Za-z0-9._/-]{1,200}$/;
const HASH = /^[0-9a-f]{64}$/;

interface AppList {
  readonly version: string;
  readonly files: readonly (readonly [path: string, sha256: string])[];
}

/** `finish` gets the exit code. */
export function addVerifyApp(builder: {
  program: Command;
  io: Io;
  finish: (exitCode: number) => void;
}): void {
  builder.program
    .command('verify-app')
    .description('compare a web app on a host with its signed list of files')
    .argument('<url>', 'where the app is, such as https://relay.example/app/')
    .requiredOption('--key <hex>', 'Ed25519 public key of the release')
    .action(async (url: string, { key }: { key: string }) => {
      builder.finish(await verifyApp(url, key, builder.io));
    });
}

export async function verifyApp(url: string, key: string, io: Io): Promise<number> {
  const terminal = new Terminal(io);
  const base = baseOf(url);
  const publicKey = fromHex(key, 32);
  if (publicKey === undefined)
    throw usageError('--key takes the 64 hex characters of an Ed25519 public key.');
  const list = await signedList(base, publicKey);
  const strange = await differing(base, list);
  for (const path of strange) terminal.say(`Not what was signed: ${path}`);
  if (strange.length > 0) {
    terminal.say('Do not use this page: pair and decide elsewhere until its owner can explain it.');
    return EXIT.rejected;
  }
  terminal.out(`All ${list.files.length} files of version ${list.version} are those that were signed.`);
  return EXIT.done;
}

function baseOf(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError(`${text} is no http(s) address.`);
  url.hash = '';
  url.search = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

async function signedList(base: URL, publicKey: Uint8Array): Promise<AppList> {
  const { verifyEd25519, cryptoReady } = await import('@countersign/protocol/auth');
  await cryptoReady;
  const bytes = await get(base, 'files.json', MAX_LIST_BYTES);
  const signature = await get(base, 'files.json.sig', MAX_SIGNATURE_BYTES);
  if (bytes === undefined || signature === undefined) {
    throw new CliError(
      EXIT.rejected,
      'There is no signed list of files at this address, or it is too large.',
    );
  }
  const sig = fromHex(Buffer.from(signature).toString('latin1').trim(), 64);
  if (sig === undefined || !verifyEd25519(sig, bytes, publicKey)) {
    throw new CliError(EXIT.rejected, 'The list of files is not signed by this key.');
  }
  return readList(bytes);
}

function readList(bytes: Uint8Array): AppList {
  const { version, files } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
  const entries = Object.entries((files ?? {}) as Record<string, unknown>);
  const isSound = entries.every(
    ([path, hash]) => PATH.test(path) && typeof hash === 'string' && HASH.test(hash),
  );
  if (typeof version !== 'string' || entries.length === 0 || entries.length > MAX_FILES || !isSound) {
    throw new CliError(EXIT.rejected, 'The signed list of files is of a kind this command does not know.');
  }
  return { version, files: entries as [string, string][] };
}

/** Paths whose content is another; the page itself is also asked for by its folder, as browsers do. */
async function differing(base: URL, { files }: AppList): Promise<string[]> {
  const wanted = files.flatMap(([path, hash]) =>
    path === 'index.html' ? [[path, hash] as const, ['', hash] as const] : [[path, hash] as const],
  );
  const found: string[] = [];
  for (const [path, hash] of wanted) {
    const bytes = await get(base, path, MAX_FILE_BYTES);
    const same = bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === hash;
    if (!same) found.push(path === '' ? base.href : path);
  }
  return found;
}

/** The body; undefined when it is not there or longer than `maxBytes`. @throws CountersignError `unavailable` */
async function get(base: URL, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(path, base), { redirect: 'error', signal });
    if (!response.ok || response.body === null) return undefined;
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body) {
      length += part.length;
      if (length > maxBytes) return undefined;
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch {
    throw new CountersignError('unavailable', `${base.host} cannot be reached, or answers with a redirect.`);
  }
}
