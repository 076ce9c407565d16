/**
 * One attack upon a relay of its own: what is tried, against which limit, with what end. Beside it a healthy pair goes
 * on talking, and the relay's memory is watched. Must not know the attacks.
 */
import type { RelayConfigInput } from '@countersign/server';
import { HealthyPair, type PairOptions, percentile } from '../support/trials/healthy-pair.js';
import { problemOfLine } from '../support/trials/log-check.js';
import { RelayProcess } from '../support/trials/relay-process.js';

export interface Scene {
  readonly relay: RelayProcess;
  readonly port: number;
  readonly pair: HealthyPair;
  /** How often it is tried. */
  readonly attempts: number;
  /** Times of the limits are shortened, because nobody waits in a test run. */
  readonly hurried: boolean;
  /** Lines of the relay's log so far. */
  readonly log: readonly string[];
  /** Throws, naming what is not as it must be. */
  must(holds: boolean, what: string): void;
}

/** What came of it, and how often. */
export type Counts = Readonly<Record<string, number>>;

export interface Attack {
  /** What is tried, for the table. */
  readonly name: string;
  /** The limit that meets it, in the words of 01 §6. */
  readonly limit: string;
  readonly settings?: (options: AttackOptions) => RelayConfigInput;
  /** Of the healthy pair. */
  readonly pair?: Partial<PairOptions>;
  /** The most the relay's memory may grow by. */
  readonly maxGrowthMb?: number;
  run(scene: Scene): Promise<Counts>;
}

export interface AttackOptions {
  readonly attempts: number;
  readonly hurried: boolean;
}

export interface AttackReport {
  readonly name: string;
  readonly limit: string;
  readonly attempts: number;
  readonly counts: Counts;
  readonly memoryMb: { readonly before: number; readonly peak: number; readonly after: number };
  readonly pairMs: { readonly p50: number; readonly p99: number; readonly messages: number };
  readonly seconds: number;
}

const MIB = 1024 * 1024;
/** What memory may grow by unless an attack says so: buffers of the system's and of Node's, garbage not collected yet. */
const MAX_GROWTH_MB = 160;
/** How long a relay may take to let go of everything. */
const QUIET_MS = 30_000;
const QUIET_POLL_MS = 50;
/** Of the healthy pair. */
const OWN_CONNECTIONS = 2;
const LOG_LINES = 20_000;

/** @throws Error that says what the relay did wrong. */
export async function attack(plan: Attack, options: AttackOptions): Promise<AttackReport> {
  const problems: string[] = [];
  const log: string[] = [];
  const onLog = (line: string) => {
    if (log.length < LOG_LINES) log.push(line);
    const problem = problemOfLine(line);
    if (problem) problems.push(problem);
  };
  const settings = { logLevel: 'info' as const, ...plan.settings?.(options) };
  const relay = await RelayProcess.start({ settings, onLog });
  try {
    return await new Attacking(plan, options, relay, log, problems).run();
  } finally {
    await relay.close();
  }
}

class Attacking {
  readonly #plan: Attack;
  readonly #options: AttackOptions;
  readonly #relay: RelayProcess;
  readonly #log: readonly string[];
  readonly #problems: readonly string[];

  constructor(
    plan: Attack,
    options: AttackOptions,
    relay: RelayProcess,
    log: readonly string[],
    problems: readonly string[],
  ) {
    this.#plan = plan;
    this.#options = options;
    this.#relay = relay;
    this.#log = log;
    this.#problems = problems;
  }

  async run(): Promise<AttackReport> {
    const { invite, url } = this.#relay;
    const pair = (await HealthyPair.open({ url, invite, ...this.#plan.pair })).start();
    const before = this.#relay.memory();
    this.#relay.forgetPeak();
    const since = performance.now();
    const counts = await this.#plan.run(this.#scene(pair));
    const seconds = Math.round((performance.now() - since) / 100) / 10;
    await pair.stop();
    const peak = this.#relay.peakMemory();
    await this.#quiet();
    pair.close();
    this.#check();
    const memory = { before, peak, after: this.#relay.memory() };
    this.#mustBeBounded(memory);
    return { ...this.#report(counts, memory, pair.latencies), seconds };
  }

  #scene(pair: HealthyPair): Scene {
    return {
      ...this.#options,
      relay: this.#relay,
      port: this.#relay.port,
      pair,
      log: this.#log,
      must: (holds, what) => {
        this.#check();
        if (!holds) throw new Error(`${this.#plan.name}: it is not so that ${what}`);
      },
    };
  }

  #check(): void {
    if (this.#relay.crash !== undefined) throw new Error(`${this.#plan.name}: ${this.#relay.crash}`);
    if (this.#problems.length > 0) throw new Error(`${this.#plan.name}: ${this.#problems[0]}`);
  }

  /** Attackers gone, the pair alone is left. */
  async #quiet(): Promise<void> {
    const deadline = performance.now() + QUIET_MS;
    for (;;) {
      this.#check();
      const { connections, beforeLogin } = await this.#relay.status();
      if (beforeLogin === 0 && connections <= OWN_CONNECTIONS) return;
      if (performance.now() > deadline)
        throw new Error(`${this.#plan.name}: ${connections} connections are kept`);
      await new Promise((resolve) => setTimeout(resolve, QUIET_POLL_MS));
    }
  }

  #mustBeBounded({ before, peak }: { before: number; peak: number }): void {
    const bound = this.#plan.maxGrowthMb ?? MAX_GROWTH_MB;
    if (peak - before <= bound * MIB) return;
    throw new Error(`${this.#plan.name}: memory grew from ${before} to ${peak}, more than ${bound} MiB`);
  }

  #report(
    counts: Counts,
    memory: { before: number; peak: number; after: number },
    latencies: readonly number[],
  ): Omit<AttackReport, 'seconds'> {
    const inMib = (bytes: number) => Math.round(bytes / MIB);
    return {
      name: this.#plan.name,
      limit: this.#plan.limit,
      attempts: this.#options.attempts,
      counts,
      memoryMb: { before: inMib(memory.before), peak: inMib(memory.peak), after: inMib(memory.after) },
      pairMs: {
        p50: Math.round(percentile(latencies, 50) * 10) / 10,
        p99: Math.round(percentile(latencies, 99) * 10) / 10,
        messages: latencies.length,
      },
    };
  }
}

/** Does it so often, so many at a time. */
export async function repeat(
  times: number,
  atOnce: number,
  each: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) await each(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, times) }, worker));
}

/** Counts words. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, this.of(what) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** The most frequent first. */
  get counts(): Counts {
    return Object.fromEntries([...this.#counts].sort(([, a], [, b]) => b - a));
  }
}

/** A loopback address for each number: 127.1.0.1 and up. */
export function addressOf(index: number): string {
  const host = index + 1;
  return `127.${1 + ((host >> 16) % 70)}.${(host >> 8) & 0xff}.${host & 0xff}`;
}
