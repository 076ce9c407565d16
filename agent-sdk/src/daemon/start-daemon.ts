/**
 * Reaches the agent of a directory, starting a daemon when nobody owns it. Must not know what the caller wants of it,
 * nor how the command line is read: the daemon's command is given.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CountersignError } from '@countersign/protocol';
import { preparePrivateDirectory } from '../store/private-files.js';
import { DAEMON_LIMITS, SOCKET_LIMITS } from './limits.js';
import { LineReader } from './line-reader.js';
import { errorFromWire, readReply } from './messages.js';
import { connectAgentSocket, type RemoteAgent } from './remote-agent.js';

export interface DaemonCommand {
  /** The program and its arguments; it says `{v, result}` or `{v, error}` in one line on its output once it serves or gives up. */
  readonly argv: readonly [string, ...string[]];
}

/** What a daemon has to say to people goes here, in its directory. */
const LOG_FILE = 'daemon.log';

/**
 * Several callers at once end with one daemon that serves them all: the lock of the directory decides whose.
 * @throws CountersignError `directory_in_use` when its owner serves nobody, `timeout`, and what the daemon gave up with.
 */
export async function reachAgent(dir: string, command: DaemonCommand): Promise<RemoteAgent> {
  const until = performance.now() + DAEMON_LIMITS.ownerAnswersMs;
  for (;;) {
    const agent = (await tryConnect(dir)) ?? (await startAndConnect(dir, command));
    if (!(agent instanceof CountersignError)) return agent;
    if (agent.code !== 'directory_in_use' || performance.now() > until) throw agent;
    // The owner may be opening its socket just now, or ending.
    await delay(DAEMON_LIMITS.retryMs);
  }
}

async function startAndConnect(dir: string, command: DaemonCommand): Promise<RemoteAgent | CountersignError> {
  preparePrivateDirectory(dir);
  return (await startDaemon(dir, command)) ?? connectAgentSocket(dir);
}

/** Undefined when nobody serves the directory. */
async function tryConnect(dir: string): Promise<RemoteAgent | undefined> {
  try {
    return await connectAgentSocket(dir);
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'closed') return undefined;
    throw error;
  }
}

/** Resolves when the daemon serves, or with what it gave up with. The daemon outlives this process. */
async function startDaemon(dir: string, { argv }: DaemonCommand): Promise<CountersignError | undefined> {
  const [program, ...args] = argv;
  const log = openLog(join(dir, LOG_FILE));
  try {
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', log], cwd: '/' });
    return await firstWord(child, dir);
  } finally {
    closeSync(log);
  }
}

/** Appended to, begun anew when it has grown. */
function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return openSync(path, size > DAEMON_LIMITS.maxLogBytes ? 'w' : 'a', 0o600);
}

function firstWord(child: ChildProcess, dir: string): Promise<CountersignError | undefined> {
  const reader = new LineReader(SOCKET_LIMITS.maxLineBytes);
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(late);
      child.stdout?.destroy();
      child.removeAllListeners();
      child.unref();
      settle();
    };
    const silent = (): CountersignError =>
      new CountersignError('timeout', `The daemon did not start. See ${join(dir, LOG_FILE)}`);
    const late = setTimeout(() => finish(() => reject(silent())), DAEMON_LIMITS.startMs);
    child.stdout?.on('data', (chunk: Uint8Array) => {
      try {
        const [line] = reader.push(chunk);
        if (line === undefined) return;
        const { error } = readReply(line);
        finish(() => resolve(error === undefined ? undefined : errorFromWire(error)));
      } catch {
        finish(() => reject(silent()));
      }
    });
    child.on('error', () => finish(() => reject(silent())));
    child.on('close', () => finish(() => reject(silent())));
  });
}
