/** `daemon`: opens the agent of the directory and serves it until nobody has used it for a while. */
import { CountersignError } from '@countersign/protocol';
import { escapeToLine } from '@countersign/protocol/blocks';
import { systemClock } from '../../agent/core.js';
import type { Agent, AgentLogger, AgentOptions } from '../../api.js';
import {
  type AgentSocket,
  connectAgentSocket,
  DAEMON_LIMITS,
  Idle,
  serveAgentSocket,
  wireError,
} from '../../daemon/index.js';
import { openAgent } from '../../index.js';
import { explainError } from '../advice.js';
import { inWords } from '../duration.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../io.js';
import { refuseToStrandDevices } from '../reach.js';
import { inForce, readCa, readSettings, type Settings, wantedSettings, writeSettings } from '../settings.js';
import type { Context } from './context.js';

export interface DaemonCommandOptions {
  /** Milliseconds; Infinity for a daemon that stays. */
  idle?: number;
  stop?: boolean;
  /** For the command that starts it: one JSON line on standard output says whether it serves. */
  announce?: boolean;
}

export const DAEMON_PROGRAM = 'countersign daemon';

export async function daemonCommand(options: DaemonCommandOptions, context: Context): Promise<number> {
  if (options.stop) return stopDaemon(context);
  const idleMs = options.idle ?? DAEMON_LIMITS.idleMs;
  const { place, terminal } = context;
  try {
    const { daemon, socket, relayUrl } = await startDaemon(idleMs, context);
    if (options.announce) terminal.json({ result: { path: socket.path } });
    const end = idleMs === Number.POSITIVE_INFINITY ? '' : ` Ends after ${inWords(idleMs)} without use.`;
    terminal.say(`Serving ${escapeToLine(place.dir)} at ${relayUrl}.${end}`);
    await daemon.ended(context.interrupted, socket);
    return EXIT.done;
  } catch (error) {
    if (!options.announce) throw error;
    terminal.json({ error: wireError(announced(error)) });
    return EXIT.failed;
  }
}

/** For the command that waits: whatever it is, it must be told in one line. */
function announced(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const code = error instanceof CliError ? 'invalid_request' : 'unavailable';
  return new CountersignError(code, explainError(error, '').join(' '));
}

class Daemon {
  readonly #agent: Agent;
  readonly #idle: Idle;
  #end: (() => void) | undefined;
  readonly #ending = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(agent: Agent, idleMs: number) {
    this.#agent = agent;
    this.#idle = new Idle(systemClock, idleMs, () => this.#end?.());
  }

  serve(dir: string, relayUrl: string, logger: AgentLogger): Promise<AgentSocket> {
    return serveAgentSocket(this.#agent, dir, {
      program: DAEMON_PROGRAM,
      relayUrl,
      logger,
      shutdown: () => this.#end?.(),
      onClients: (count) => this.#idle.update(count),
    });
  }

  async ended(interrupted: AbortSignal, socket: AgentSocket): Promise<void> {
    interrupted.addEventListener('abort', () => this.#end?.(), { once: true });
    if (!interrupted.aborted) await this.#ending;
    this.#idle.stop();
    await socket.closeWithAgent();
  }
}

async function startDaemon(idleMs: number, context: Context) {
  const { place, options, io, terminal } = context;
  const saved = inForce(readSettings(place.dir));
  const settings = inForce(saved, wantedSettings(options, io));
  const log = logger(terminal);
  const agent = await openAgent(agentOptions(place.dir, settings, log));
  try {
    if (settings.relayUrl !== saved.relayUrl) await refuseToStrandDevices(agent, saved, settings);
    if (JSON.stringify(settings) !== JSON.stringify(saved)) writeSettings(place.dir, settings);
    const daemon = new Daemon(agent, idleMs);
    const socket = await daemon.serve(place.dir, settings.relayUrl, log);
    return { daemon, socket, relayUrl: settings.relayUrl };
  } catch (error) {
    await agent.close();
    throw error;
  }
}

function agentOptions(
  dir: string,
  settings: Settings & { relayUrl: string },
  log: AgentLogger,
): AgentOptions {
  const { relayUrl, name, invite, appUrl, ca } = settings;
  return {
    dir,
    relayUrl,
    name,
    invite,
    appUrl,
    ca: ca === undefined ? undefined : readCa(ca),
    // Whether a code is compared is decided by each `pair`, not by the daemon.
    confirm: 'yes',
    logger: log,
  };
}

/** Events with their fields, one line each. */
function logger({ io }: Terminal): AgentLogger {
  const write = (
    level: string,
    event: string,
    fields: Record<string, string | number | boolean> = {},
  ): void => {
    const told = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    io.stderr.write(`${new Date().toISOString()} ${level} ${event}${told.join('')}\n`);
  };
  return {
    debug: () => undefined,
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
  };
}

async function stopDaemon({ place, terminal }: Context): Promise<number> {
  try {
    const agent = await connectAgentSocket(place.dir);
    await agent.shutdown();
    await agent.whenLost();
    terminal.say('The daemon has ended.');
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'closed') throw error;
    terminal.say('No daemon runs.');
  }
  return EXIT.done;
}
