/**
 * Which directory the command works in, and what is saved there for the daemon: `config.json`, 0600 because of the
 * invite. Must not know the agent's state beside it.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseUrl } from '@countersign/protocol';
import { z } from 'zod';
import { preparePrivateDirectory } from '../store/private-files.js';
import { CliError, EXIT, usageError } from './exit-codes.js';
import type { Io } from './io.js';

const CONFIG_FILE = 'config.json';
/** Where `countersign relay` listens when it is told nothing else. */
const DEFAULT_RELAY_URL = 'ws://127.0.0.1:8787';

const settingsSchema = z.object({
  relayUrl: z.string().optional(),
  name: z.string().optional(),
  invite: z.string().optional(),
  appUrl: z.string().optional(),
  /** Path of a PEM file with certificate authorities. */
  ca: z.string().optional(),
});
const fileSchema = settingsSchema.extend({ v: z.literal(1) });

export type Settings = z.infer<typeof settingsSchema>;
/** As options say it. */
export interface SettingOptions {
  dir?: string | undefined;
  relay?: string | undefined;
  name?: string | undefined;
  invite?: string | undefined;
  appUrl?: string | undefined;
  ca?: string | undefined;
}

export function stateDirectory(option: string | undefined, { env, cwd }: Io): string {
  const named = option ?? env.COUNTERSIGN_DIR;
  if (named) return resolve(cwd, named);
  // The XDG Base Directory Specification ignores relative paths.
  const state = env.XDG_STATE_HOME;
  const home = state?.startsWith('/') ? state : join(homedir(), '.local', 'state');
  return join(home, 'countersign');
}

/** What this run asks for, by option or environment; only what was said. @throws CliError before anything is saved. */
export function wantedSettings(options: SettingOptions, { env, cwd }: Io): Settings {
  const relay = options.relay ?? env.COUNTERSIGN_RELAY_URL;
  const invite = options.invite ?? env.COUNTERSIGN_INVITE;
  return {
    ...(relay ? { relayUrl: relayUrlOf(relay) } : {}),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(invite ? { invite: invite.trim() } : {}),
    ...(options.appUrl === undefined ? {} : { appUrl: appUrlOf(options.appUrl) }),
    ...(options.ca === undefined ? {} : { ca: resolve(cwd, options.ca) }),
  };
}

/** What was said over what is saved over the default. */
export function inForce(saved: Settings, wanted: Settings = {}): Settings & { relayUrl: string } {
  return { ...saved, ...wanted, relayUrl: wanted.relayUrl ?? saved.relayUrl ?? DEFAULT_RELAY_URL };
}

/** `wss://host[:port]`; an http(s) address is taken for what it means. @throws CliError */
export function relayUrlOf(written: string): string {
  const url = parseUrl(written.replace(/^http/, 'ws'));
  const plain = url !== undefined && /^wss?:$/.test(url.protocol) && url.host !== '';
  if (!plain || /[^/]/.test(url.pathname) || url.search || url.hash || url.username) {
    throw usageError('A relay is written wss://host or wss://host:port (ws:// for one on this machine).');
  }
  return `${url.protocol}//${url.host}`;
}

/** @throws CliError */
function appUrlOf(written: string): string {
  const url = parseUrl(written);
  if (!/^https?:$/.test(url?.protocol ?? '')) {
    throw usageError(
      'The address of the app is written https://host/path (http:// for one on this machine).',
    );
  }
  return written;
}

/** The text of the file of `--ca`, asked for now or saved earlier. @throws CliError */
export function readCa(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw usageError(`The certificate authorities in ${path} cannot be read. Name another file with --ca.`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw usageError(`${path} holds no certificate (PEM). Name another file with --ca.`);
}

/** Empty when nothing is saved. @throws CliError when the file cannot be understood. */
export function readSettings(dir: string): Settings {
  let text: string;
  try {
    text = readFileSync(join(dir, CONFIG_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliError(EXIT.failed, `${join(dir, CONFIG_FILE)} cannot be read by this user.`);
  }
  try {
    const { v: _v, ...settings } = fileSchema.parse(JSON.parse(text));
    return settings;
  } catch {
    throw new CliError(
      EXIT.failed,
      `${join(dir, CONFIG_FILE)} is damaged. Repair it, or remove it and give --relay again.`,
    );
  }
}

export function writeSettings(dir: string, settings: Settings): void {
  preparePrivateDirectory(dir);
  const next = join(dir, `${CONFIG_FILE}.${process.pid}`);
  writeFileSync(next, `${JSON.stringify({ v: 1, ...settings }, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(next, join(dir, CONFIG_FILE));
}
