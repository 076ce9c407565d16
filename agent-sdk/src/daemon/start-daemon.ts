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

/** How the lock of a directory names a daemon: by the file that was started. */
const OWN_PROGRAM = 'countersign';
/** What a daemon has to say to people goes here, in its directory. */
const LOG_FILE = 'daemon.log';

/**
 * Several callers at once end with one daemon that serves them all: the lock of the directory decides whose.
 * @throws CountersignError `directory_in_use` when its owner serves nobody, `timeout`, and what the daemon gave up with.
 */
export async function reachAgent(dir: string, command: DaemonCommand): Promise<RemoteAgent> {
  const patience = new Patience();
  for (;;) {
    const running = await tryConnect(dir);
    if (running !== undefined) return running;
    if (patience.mayStart()) {
      preparePrivateDirectory(dir);
      const refused = await startDaemon(dir, command);
      if (refused === undefined) return connectAgentSocket(dir);
      patience.refused(refused);
    }
    await delay(DAEMON_LIMITS.lookEveryMs);
  }
}

/** How long to wait for an owner that has the directory and does not serve it: it may just begin, or just end. */
class Patience {
  #nextStart = 0;
  #givenUpAt = Number.POSITIVE_INFINITY;
  #owner = 0;

  /** Starting another daemon is dear: once, when the owner has gone, and now and then. */
  mayStart(): boolean {
    return performance.now() >= this.#nextStart || !isAlive(this.#owner);
  }

  /** @throws what the daemon gave up with, unless waiting may help. */
  refused(error: CountersignError): void {
    const now = performance.now();
    if (error.code !== 'directory_in_use' || now > this.#givenUpAt) throw error;
    const { pid, program } = error.details;
    this.#owner = typeof pid === 'number' ? pid : 0;
    this.#nextStart = now + DAEMON_LIMITS.startAgainMs;
    const isDaemon = String(program).startsWith(OWN_PROGRAM);
    const waitMs = isDaemon ? DAEMON_LIMITS.startMs : DAEMON_LIMITS.ownerAnswersMs;
    this.#givenUpAt = Math.min(this.#givenUpAt, now + waitMs);
  }
}

/** Of a process that is not known it is assumed. */
function isAlive(pid: number): boolean {
  if (pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
