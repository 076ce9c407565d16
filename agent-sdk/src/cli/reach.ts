/**
 * The agent of the directory for one run of the command: uses its owner or starts a daemon, and brings settings that
 * were asked for into force. Must not know what the command wants of it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CountersignError } from '@countersign/protocol';
import { escapeToLine } from '@countersign/protocol/blocks';
import type { Agent } from '../api.js';
import { connectAgentSocket, type RemoteAgent, reachAgent } from '../daemon/index.js';
import { quoteArgv } from '../describe/argv.js';
import { usageError } from './exit-codes.js';
import type { Io } from './io.js';
import {
  inForce,
  readCa,
  readSettings,
  type SettingOptions,
  type Settings,
  stateDirectory,
  wantedSettings,
  writeSettings,
} from './settings.js';

const BIN = fileURLToPath(new URL('../../bin/countersign.mjs', import.meta.url));

export interface Place {
  readonly dir: string;
  /** Repeats what this run was told about the directory, for commands shown to a person. */
  readonly dirOption: string;
}

export function placeOf(options: SettingOptions, io: Io): Place {
  const dir = stateDirectory(options.dir, io);
  return { dir, dirOption: options.dir === undefined ? '' : dirOptionOf(options.dir) };
}

/** As a shell takes it back, with nothing hidden. */
export function dirOptionOf(dir: string): string {
  return ` --dir ${escapeToLine(quoteArgv([dir]))}`;
}

/** @throws CliError, and CountersignError as `reachAgent`. */
export async function reach(options: SettingOptions, io: Io): Promise<RemoteAgent> {
  const { dir } = placeOf(options, io);
  const wanted = wantedSettings(options, io);
  // Before it is saved: what cannot be read would keep every later command from working.
  if (wanted.ca !== undefined) readCa(wanted.ca);
  const present = inForce(readSettings(dir));
  if (!includes(present, wanted)) await change(dir, present, inForce(present, wanted));
  return reachAgent(dir, daemonCommand(dir));
}

/** How a daemon of the directory is started by others. */
export function daemonCommand(dir: string): { argv: [string, ...string[]] } {
  return { argv: [process.execPath, BIN, 'daemon', '--dir', dir, '--announce'] };
}

function includes(present: Settings, wanted: Settings): boolean {
  return (Object.keys(wanted) as (keyof Settings)[]).every((name) => wanted[name] === present[name]);
}

/** Saves the settings; a daemon that runs with others ends, unless somebody is waiting for it. */
async function change(dir: string, present: Settings, next: Settings): Promise<void> {
  const moves = present.relayUrl !== next.relayUrl;
  const running = await runningAgent(dir, moves);
  try {
    if (running !== undefined && !running.owner.endable) return agreeWith(running.owner, next);
    if (running !== undefined && moves) await refuseToStrandDevices(running, present, next);
    if (running !== undefined) await endOwner(running);
  } finally {
    await running?.close();
  }
  writeSettings(dir, next);
}

/** A program that is an agent itself brings its own settings. @throws CliError when it uses another relay. */
function agreeWith({ program, relayUrl }: RemoteAgent['owner'], next: Settings): void {
  if (relayUrl === undefined || relayUrl === next.relayUrl) return;
  throw usageError(`This directory is served by ${program}, which uses ${relayUrl}.`);
}

/** Undefined when none runs and none is needed. Only a directory with state can have devices. */
async function runningAgent(dir: string, needed: boolean): Promise<RemoteAgent | undefined> {
  if (needed && existsSync(join(dir, 'seed'))) return reachAgent(dir, daemonCommand(dir));
  try {
    return await connectAgentSocket(dir);
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'closed') return undefined;
    throw error;
  }
}

/** Devices know the relay they were paired through and no other. @throws CliError */
export async function refuseToStrandDevices(agent: Agent, present: Settings, next: Settings): Promise<void> {
  const devices = await agent.devices.list();
  if (devices.length === 0) return;
  throw usageError(
    `This directory has ${devices.length === 1 ? 'a device' : `${devices.length} devices`} paired through ${present.relayUrl}. ` +
      `To use ${next.relayUrl}, choose another directory with --dir, or revoke the devices first.`,
  );
}

async function endOwner(agent: RemoteAgent): Promise<void> {
  if ((await agent.pending()).length > 0) {
    throw usageError('Another command is waiting for an answer. End it first, then change the settings.');
  }
  await agent.shutdown();
}
