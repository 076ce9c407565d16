/**
 * A relay as an operator runs it, in a process of its own: settings from a file, log on standard error, killed
 * and started again as a trial pleases. Sees its memory and handles. Must not know what a trial tries.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RelayConfigInput } from '@countersign/server';
import { relayBundle } from './relay-bundle.js';

export interface RelayProcessOptions {
  readonly settings?: RelayConfigInput;
  /** Takes each line of its log. */
  readonly onLog?: (line: string) => void;
  /** Node's own options, such as a bound of its heap. */
  readonly nodeOptions?: readonly string[];
}

/** As `/readyz` tells it. */
export interface RelayStatus {
  readonly ready: boolean;
  readonly connections: number;
  readonly beforeLogin: number;
  readonly namespaces: number;
  readonly devices: number;
  readonly messages: number;
  readonly bytes: number;
}

const KEPT_LINES = 50;
const KIB = 1024;
/** Of proc(5). */
const FORGET_PEAK = '5';
/** Places in `/proc/<pid>/stat` after the name. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICKS_PER_SECOND = 100;

export class RelayProcess {
  readonly dir = mkdtempSync(join(tmpdir(), 'countersign-trial-'));
  readonly #options: RelayProcessOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #url = '';
  #opsUrl = '';
  #invite: string | undefined;
  #lastLines: string[] = [];
  /** Set while it may end. */
  #expected = true;
  /** Why it ended although nobody asked. */
  crash: string | undefined;

  private constructor(options: RelayProcessOptions) {
    this.#options = options;
    const settings = { port: 0, opsPort: 0, store: join(this.dir, 'relay.sqlite'), logLevel: 'debug' };
    writeFileSync(join(this.dir, 'relay.json'), JSON.stringify({ ...settings, ...options.settings }));
  }

  static async start(options: RelayProcessOptions = {}): Promise<RelayProcess> {
    const relay = new RelayProcess(options);
    await relay.start();
    return relay;
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  /** Of the second listener. */
  get opsUrl(): string {
    return this.#opsUrl;
  }

  get invite(): string | undefined {
    return this.#invite;
  }

  /** @throws Error with what it said, when it does not come up. */
  async start(): Promise<void> {
    const args = [await relayBundle(), '--config', join(this.dir, 'relay.json')];
    const child = spawn(process.execPath, [...(this.#options.nodeOptions ?? []), ...args], {
      cwd: this.dir,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH },
    });
    this.#child = child;
    this.#expected = false;
    this.#exited = once(child, 'close').then(([code, signal]) => this.#onExit(child, code ?? signal));
    createInterface({ input: child.stderr }).on('line', (line) => this.#onLog(line));
    await this.#untilItListens(child);
  }

  /** Without a word, as when the power fails. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async close(): Promise<void> {
    await this.#end('SIGTERM');
    rmSync(this.dir, { recursive: true, force: true });
  }

  async status(): Promise<RelayStatus> {
    return (await (await fetch(`${this.#opsUrl}/readyz`)).json()) as RelayStatus;
  }

  /** Bytes of memory it occupies; 0 where the system does not say. */
  memory(): number {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(this.#proc('status'))?.[1] ?? 0) * KIB;
  }

  /** {@link peakMemory} counts from here on. */
  forgetPeak(): void {
    try {
      writeFileSync(`/proc/${this.#child?.pid}/clear_refs`, FORGET_PEAK);
    } catch {
      // Then the peak is that of its whole life.
    }
  }

  /** The most it ever occupied. */
  peakMemory(): number {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(this.#proc('status'))?.[1] ?? 0) * KIB;
  }

  /** Seconds of processor time it took; 0 where the system does not say. */
  cpuSeconds(): number {
    const fields = this.#proc('stat')
      .replace(/^.*\) /, '')
      .split(' ');
    const [user, system] = [fields[USER_TICKS], fields[SYSTEM_TICKS]];
    return (Number(user ?? 0) + Number(system ?? 0)) / TICKS_PER_SECOND;
  }

  /** Open files and sockets; 0 where the system does not say. */
  handles(): number {
    try {
      return readdirSync(`/proc/${this.#child?.pid}/fd`).length;
    } catch {
      return 0;
    }
  }

  #proc(file: string): string {
    try {
      return readFileSync(`/proc/${this.#child?.pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  }

  async #untilItListens(child: ChildProcess): Promise<void> {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    while (!said.includes('what is said')) {
      const heard = once(child.stdout as NonNullable<typeof child.stdout>, 'data');
      await Promise.race([heard, this.#exited]);
      if (this.crash !== undefined) throw new Error(`the relay did not start: ${this.crash}`);
    }
    this.#url = /listens on (\S+)/.exec(said)?.[1] ?? '';
    this.#opsUrl = /(http:\/\/[^\s/]+)\/readyz/.exec(said)?.[1] ?? '';
    this.#invite = /invite ([\w-]{22,}) /.exec(said)?.[1];
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#expected = true;
    this.#child?.kill(signal);
    await this.#exited;
  }

  #onLog(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift();
    this.#options.onLog?.(line);
  }

  #onExit(child: ChildProcess, how: unknown): void {
    if (this.#child !== child || this.#expected) return;
    this.crash = `the relay ended by itself (${String(how)}):\n${this.#lastLines.join('\n')}`;
  }
}
