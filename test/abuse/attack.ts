/**
 * An attack: what is tried, against which limit, with what end. {@link Attacking} tries it upon a relay while a
 * healthy pair goes on talking there, and watches the relay's memory. Must not know the attacks, nor who starts relays.
 */
import type { RelayConfigInput } from '@countersign/server';
import { type HealthyPair, type PairOptions, percentile } from '../support/trials/healthy-pair.js';
import type { RelayProcess } from '../support/trials/relay-process.js';

export interface Scene {
  readonly relay: RelayProcess;
  readonly port: number;
  readonly pair: HealthyPair;
  /** How often it is tried. */
  readonly attempts: number;
  /** Times of the limits are shortened, because nobody waits in a test run. */
  readonly hurried: boolean;
  /** Lines of the relay's log since the attack began. */
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
  /** Attacks whose settings and pair are the same are tried upon one relay, one after another. */
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
  /** Processor time of the relay. */
  readonly relayCpuSeconds: number;
}

/** A relay with its pair, and what its log told. */
export interface Besieged {
  readonly relay: RelayProcess;
  readonly pair: HealthyPair;
  /** Emptied before each attack. */
  readonly log: string[];
  /** What is wrong with lines of the log. */
  readonly problems: readonly string[];
}

const MIB = 1024 * 1024;
/** What memory may grow by unless an attack says so: buffers of the system's and of Node's, garbage not collected yet. */
const MAX_GROWTH_MB = 160;
/** How long a relay may take to let go of everything. */
const QUIET_MS = 30_000;
const QUIET_POLL_MS = 50;
/** Of the healthy pair. */
const OWN_CONNECTIONS = 2;

const round = (value: number): number => Math.round(value * 10) / 10;

export class Attacking {
  readonly #plan: Attack;
  readonly #options: AttackOptions;
  readonly #besieged: Besieged;

  constructor(plan: Attack, options: AttackOptions, besieged: Besieged) {
    this.#plan = plan;
    this.#options = options;
    this.#besieged = besieged;
  }

  /** @throws Error that says what the relay did wrong. */
  async run(): Promise<AttackReport> {
    const { relay, pair, log } = this.#besieged;
    log.length = 0;
    const [before, cpuBefore] = [relay.memory(), relay.cpuSeconds()];
    const heard = pair.latencies.length;
    relay.forgetPeak();
    const since = performance.now();
    const counts = await this.#plan.run(this.#scene());
    const seconds = round((performance.now() - since) / 1000);
    const peak = relay.peakMemory();
    await pair.nextRound();
    await this.#quiet();
    this.#check();
    const memory = { before, peak, after: relay.memory() };
    this.#mustBeBounded(memory);
    const relayCpuSeconds = round(relay.cpuSeconds() - cpuBefore);
    return { ...this.#report(counts, memory, pair.latencies.slice(heard)), seconds, relayCpuSeconds };
  }

  #scene(): Scene {
    const { relay, pair, log } = this.#besieged;
    return {
      ...this.#options,
      relay,
      port: relay.port,
      pair,
      log,
      must: (holds, what) => {
        this.#check();
        if (!holds) throw new Error(`${this.#plan.name}: it is not so that ${what}`);
      },
    };
  }

  #check(): void {
    const problem = this.#besieged.relay.crash ?? this.#besieged.problems[0];
    if (problem !== undefined) throw new Error(`${this.#plan.name}: ${problem}`);
  }

  /** Attackers gone, the pair alone is left. */
  async #quiet(): Promise<void> {
    const deadline = performance.now() + QUIET_MS;
    for (;;) {
      this.#check();
      const { connections, beforeLogin } = await this.#besieged.relay.status();
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
  ): Omit<AttackReport, 'seconds' | 'relayCpuSeconds'> {
    const inMib = (bytes: number) => Math.round(bytes / MIB);
    return {
      name: this.#plan.name,
      limit: this.#plan.limit,
      attempts: this.#options.attempts,
      counts,
      memoryMb: { before: inMib(memory.before), peak: inMib(memory.peak), after: inMib(memory.after) },
      pairMs: {
        p50: round(percentile(latencies, 50)),
        p99: round(percentile(latencies, 99)),
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
