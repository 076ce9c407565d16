/**
 * A server under measurement: a process of its own, on a core of its own where the system can do that. Must not know
 * what it serves.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { RelayConfigInput } from '@countersign/server';
import { type Load, loadBetween, type Usage } from './saturation.js';

const CORE = { server: '0', generator: '1' } as const;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = here('../../../');
const PROBE = new URL('../servers/probe.mjs', import.meta.url).href;
const LOADER = new URL('../../support/typescript-loader.mjs', import.meta.url).href;
const RELAY = join(ROOT, 'server/bin/countersign-relay.mjs');

export interface Snapshot extends Usage {
  readonly memory: { rss: number; heapUsed: number; external: number; arrayBuffers: number };
}

const canPin = process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0;

/** Keeps this process, the generator, off the server's core. Whether that could be done. */
export function pinGenerator(): boolean {
  return canPin && spawnSync('taskset', ['-apc', CORE.generator, String(process.pid)]).status === 0;
}

export class ServerProcess {
  readonly url: string;
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #gone: Promise<never>;

  private constructor(child: ChildProcess, gone: Promise<never>, url: string, startMs: number) {
    this.#child = child;
    this.#gone = gone;
    this.url = url;
    this.startMs = startMs;
  }

  /** Resolves once the server has printed where it listens. */
  static async start(args: readonly string[]): Promise<ServerProcess> {
    const began = performance.now();
    const node = [process.execPath, '--expose-gc', '--import', PROBE, ...args];
    const [program = '', ...rest] = canPin ? ['taskset', '-c', CORE.server, ...node] : node;
    const child = spawn(program, rest, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const gone = goneOf(child);
    const url = await Promise.race([addressFrom(child), gone]);
    return new ServerProcess(child, gone, url, performance.now() - began);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** After a collection of garbage. */
  usage(): Promise<Snapshot> {
    return this.ask<Snapshot>('usage');
  }

  /** Sends a message of one of our baselines' and waits for its one answer. */
  async ask<T>(message: object | string): Promise<T> {
    this.#child.send(message);
    const answer = new Promise<T>((resolve) => this.#child.once('message', (said) => resolve(said as T)));
    return Promise.race([answer, this.#gone]);
  }

  /** What the process used while `work` ran, and what came of it. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; load: Load }> {
    const before = await this.usage();
    const result = await work();
    return { result, load: loadBetween(before, await this.usage()) };
  }

  /** With a signal it may answer by writing its profile. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** One of test/bench/servers, from its source. */
export function startBaseline(name: string, options: object = {}, flags: readonly string[] = []) {
  const file = here(`../servers/${name}.ts`);
  return ServerProcess.start(['--import', LOADER, ...flags, file, JSON.stringify(options)]);
}

/** Node with nothing but this line of JavaScript. */
export function startScript(script: string): Promise<ServerProcess> {
  return ServerProcess.start(['--eval', script]);
}

/** The built relay. What limits a peer is lifted by configuration, as an operator would. */
export async function startRelay(config: RelayConfigInput, flags: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = join(folder, 'relay.json');
  writeFileSync(file, JSON.stringify({ ...UNLIMITED, ...config }));
  const relay = await ServerProcess.start([...flags, RELAY, '--config', file]);
  rmSync(folder, { recursive: true });
  return relay;
}

const PLENTY = 1_000_000_000;
const HOUR_MS = 3_600_000;

const UNLIMITED: RelayConfigInput = {
  port: 0,
  opsPort: 'off',
  registration: 'open',
  logLevel: 'error',
  bucketMessages: PLENTY,
  bucketMessagesPerSecond: PLENTY,
  newConnectionsPerAddressPerMinute: PLENTY,
  openBeforeLoginPerAddress: PLENTY,
  maxConnectionsBeforeLogin: 100_000,
  maxConnections: 100_000,
  pingEveryMs: HOUR_MS,
  idleMs: 2 * HOUR_MS,
  pingSilenceMs: HOUR_MS,
  maxStoreBytes: 64 * 1024 ** 3,
};

/** Rejects when the process ends. */
function goneOf(child: ChildProcess): Promise<never> {
  const gone = once(child, 'exit').then(() => {
    throw new Error('the server ended');
  });
  gone.catch(() => undefined);
  return gone;
}

async function addressFrom({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of (stdout as Readable).iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const [, url] = /listens on (\S+)/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}
