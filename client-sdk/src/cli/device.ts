/** Opens the state directory and the device in it for one command. Must not know what the command does. */

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Alert, Client, ClientLogger, InboxSnapshot } from '../api.js';
import { openClient } from '../client/client.js';
import { fileStorage } from '../storage/file/index.js';
import type { Storage } from '../storage/storage.js';
import { CliError, EXIT } from './exit-codes.js';
import type { Io } from './io.js';

export interface GlobalOptions {
  dir?: string;
  json?: boolean;
  verbose?: boolean;
  ca?: string;
}

/** `--dir`, else COUNTERSIGN_PHONE_DIR, else `$XDG_STATE_HOME/countersign-phone`. */
export function stateDirectory(options: GlobalOptions, env: Io['env']): string {
  const chosen = options.dir ?? env.COUNTERSIGN_PHONE_DIR;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  const stateHome = env.XDG_STATE_HOME;
  const base = stateHome === undefined || stateHome === '' ? join(homedir(), '.local', 'state') : stateHome;
  return join(base, 'countersign-phone');
}

export async function readCa(options: GlobalOptions): Promise<string | undefined> {
  if (options.ca === undefined) return undefined;
  return readFile(options.ca, 'utf8').catch(() => {
    throw new CliError(EXIT.usage, 'usage', `The certificate file ${options.ca} cannot be read.`);
  });
}

export async function withStorage<T>(
  options: GlobalOptions,
  io: Io,
  use: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await fileStorage({ directory: stateDirectory(options, io.env) });
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

/** `onAlert` absent: nothing is shown, so that the next `watch` shows it. */
export async function withClient<T>(
  options: GlobalOptions,
  io: Io,
  use: (client: Client) => Promise<T>,
  onAlert: (alert: Alert) => Promise<boolean> = async () => false,
): Promise<T> {
  const ca = await readCa(options);
  return withStorage(options, io, async (storage) => {
    const client = await openClient({ storage, onAlert, ca, logger: loggerOf(options, io) });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  });
}

function loggerOf(options: GlobalOptions, io: Io): ClientLogger | undefined {
  if (options.verbose !== true) return undefined;
  const write = (level: string) => (event: string, fields?: Record<string, unknown>) =>
    io.err(JSON.stringify({ level, event, ...fields }));
  return { debug: write('debug'), warn: write('warn') };
}

/**
 * Resolves when `test` holds for the inbox, or after `ms`, or when the person interrupts.
 * False when it never held.
 */
export function whenInbox(
  client: Client,
  test: (inbox: InboxSnapshot) => boolean,
  ms: number,
  interrupted: AbortSignal,
): Promise<boolean> {
  if (test(client.inbox.get())) return Promise.resolve(true);
  return new Promise((resolvePromise) => {
    const done = (held: boolean) => {
      clearTimeout(timer);
      unsubscribe();
      interrupted.removeEventListener('abort', onAbort);
      resolvePromise(held);
    };
    const onAbort = () => done(false);
    const timer = setTimeout(() => done(false), ms);
    const unsubscribe = client.inbox.subscribe((inbox) => {
      if (test(inbox)) done(true);
    });
    interrupted.addEventListener('abort', onAbort);
  });
}

/**
 * Whether the agent has said what is pending since `openedAt`. What was stored while this clock was ahead is from its
 * future by now, and old all the same.
 */
export function saidSince(openedAt: number, snapshotAt: number | undefined, now = Date.now()): boolean {
  return snapshotAt !== undefined && snapshotAt >= openedAt && snapshotAt <= now;
}

/** Every agent has said what is pending since `openedAt`, or it is known why one does not. */
export function isSettled(openedAt: number, now: () => number = Date.now): (inbox: InboxSnapshot) => boolean {
  return (inbox) =>
    inbox.pairings.every(
      ({ snapshotAt, connection, agentOnline }) =>
        saidSince(openedAt, snapshotAt, now()) || connection === 'waiting' || agentOnline === false,
    );
}
