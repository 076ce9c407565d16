/**
 * Hostile frames, handshakes and upgrades against a live relay on SQLite, while a healthy pair goes on talking there.
 * Repeats from its seed. Must not know vitest.
 */
import type { Chance } from '../support/trials/chance.js';
import { Chance as SeededChance } from '../support/trials/chance.js';
import { HealthyPair, percentile } from '../support/trials/healthy-pair.js';
import { problemOfLine } from '../support/trials/log-check.js';
import { RelayProcess } from '../support/trials/relay-process.js';
import { handshake, upgrade, webSocketNoise } from './before-login.js';
import { Couple, fateOf, type Side } from './couple.js';
import { HostileFrames, MARKER, makePool, type Pool } from './hostile-frames.js';

export interface FuzzOptions {
  readonly seed: number;
  /** Frames, handshakes and upgrades in all. */
  readonly frames: number;
  readonly onProgress?: (sent: number) => void;
  /** Refused, no round begins any more. */
  readonly goesOn?: () => boolean;
}

export interface FuzzReport {
  readonly seed: number;
  readonly frames: number;
  readonly handshakes: number;
  readonly upgrades: number;
  readonly noise: number;
  readonly logins: number;
  readonly seconds: number;
  /** What the relay answered, and how often. */
  readonly answers: Readonly<Record<string, number>>;
  readonly memoryMb: { readonly warm: number; readonly end: number; readonly peak: number };
  readonly handles: { readonly before: number; readonly end: number };
  readonly pairMs: { readonly p50: number; readonly p99: number; readonly messages: number };
}

const FUZZERS = 16;
const BATCH = 48;
/** Of a hundred rounds. A round of frames sends up to a batch, the others one. */
const SHARE = { handshake: 18, noise: 6, upgrade: 10 } as const;
/** Of a hundred frames that end the connection, so many are not sent: logins would take all the time. */
const SPARED = 85;
/** Memory is compared with what it was once so much of the work was done. */
const WARM_SHARE = 0.2;
/** How long a relay may take to let go, and the handles that asking it takes. */
const QUIET_MS = 20_000;
const OWN_HANDLES = 3;
const MIB = 1024 * 1024;

/** Limits that would keep a fuzzer from fuzzing; the abuse trials reach those. */
const SETTINGS = {
  bucketMessages: 1_000_000_000,
  bucketMessagesPerSecond: 1_000_000,
  newConnectionsPerAddressPerMinute: 1_000_000_000,
  openBeforeLoginPerAddress: 1_000_000,
  wrongTokensPerAddressPerMinute: 1_000_000_000,
} as const;

/** @throws Error that says what the relay did wrong, with the frames that led there. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const problems: string[] = [];
  const onLog = (line: string) => {
    const problem = line.includes(MARKER) ? `the log repeats what was sent: ${line}` : problemOfLine(line);
    if (problem) problems.push(problem);
    if (line.includes('"store_failed"')) problems.push(`the store failed: ${line}`);
  };
  const relay = await RelayProcess.start({ settings: SETTINGS, onLog });
  try {
    return await new Fuzzing(relay, options, problems).run();
  } catch (error) {
    const again = `npm run fuzz -- --seed ${options.seed} --frames ${options.frames}`;
    throw new Error(`${String(error)}\nAgain: ${again}`, { cause: error });
  } finally {
    await relay.close();
  }
}

class Fuzzing {
  readonly #relay: RelayProcess;
  readonly #options: FuzzOptions;
  readonly #problems: readonly string[];
  readonly #answers = new Map<string, number>();
  readonly #counts = { frames: 0, handshakes: 0, upgrades: 0, noise: 0, logins: 0 };
  #warm = 0;

  constructor(relay: RelayProcess, options: FuzzOptions, problems: readonly string[]) {
    this.#relay = relay;
    this.#options = options;
    this.#problems = problems;
  }

  async run(): Promise<FuzzReport> {
    const before = this.#relay.handles();
    const since = performance.now();
    const pair = (await HealthyPair.open({ url: this.#relay.url, pauseMs: 20 })).start();
    const chance = new SeededChance(this.#options.seed);
    const pool = makePool(this.#options.seed);
    await Promise.all(Array.from({ length: FUZZERS }, () => this.#fuzzer(chance.fork(), pool)));
    await pair.stop();
    pair.close();
    await this.#quiet(before);
    this.#check();
    const seconds = (performance.now() - since) / 1000;
    return { ...this.#report(before, pair), seconds: Math.round(seconds * 10) / 10 };
  }

  get #done(): number {
    const { frames, handshakes, upgrades, noise } = this.#counts;
    return frames + handshakes + upgrades + noise;
  }

  async #fuzzer(chance: Chance, pool: Pool): Promise<void> {
    const frames = new HostileFrames(chance.fork(), pool);
    const couple = new Couple(this.#relay.port);
    while (this.#done < this.#options.frames && this.#options.goesOn?.() !== false) {
      await this.#round(chance, frames, couple);
      this.#check();
      this.#noteWarm();
      this.#options.onProgress?.(this.#done);
    }
    couple.close();
    this.#counts.logins += couple.logins;
    for (const [what, times] of couple.seen) this.#count(what, times);
  }

  async #round(chance: Chance, frames: HostileFrames, couple: Couple): Promise<void> {
    const { port } = this.#relay;
    const kind = chance.between(1, 100);
    if (kind <= SHARE.handshake) {
      this.#counts.handshakes++;
      this.#count(`login: ${await handshake(port, frames, chance)}`);
    } else if (kind <= SHARE.handshake + SHARE.noise) {
      this.#counts.noise++;
      await webSocketNoise(port, chance);
    } else if (kind <= SHARE.handshake + SHARE.noise + SHARE.upgrade) {
      this.#counts.upgrades++;
      this.#count(`http ${await upgrade(port, chance)}`);
    } else await this.#batch(chance, frames, couple);
  }

  async #batch(chance: Chance, frames: HostileFrames, couple: Couple): Promise<void> {
    const side: Side = chance.percent(50) ? 'agent' : 'device';
    await couple.ready();
    const batch: Uint8Array[] = [];
    const target = { peer: couple.peerOf(side) };
    while (batch.length < BATCH) {
      const next = frames.next(target);
      if (fateOf(next) === 'closes' && chance.percent(SPARED)) continue;
      batch.push(next);
      if (fateOf(next) === 'closes') break;
    }
    this.#counts.frames += batch.length;
    try {
      await couple.send(side, batch);
    } catch (error) {
      const frames = batch.map((bytes) => Buffer.from(bytes.subarray(0, 2000)).toString('hex'));
      throw new Error(`seed ${this.#options.seed}, ${side}: ${String(error)}\n${frames.join('\n')}`);
    }
  }

  /** A relay that is left alone lets go of everything. */
  async #quiet(handlesBefore: number): Promise<void> {
    const deadline = performance.now() + QUIET_MS;
    for (;;) {
      this.#check();
      const { connections, beforeLogin } = await this.#relay.status();
      const handles = this.#relay.handles();
      if (connections + beforeLogin === 0 && handles <= handlesBefore + OWN_HANDLES) return;
      if (performance.now() > deadline) {
        throw new Error(
          `the relay keeps ${connections} connections and ${handles} of ${handlesBefore} handles`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #check(): void {
    if (this.#relay.crash !== undefined) throw new Error(`seed ${this.#options.seed}: ${this.#relay.crash}`);
    if (this.#problems.length > 0) throw new Error(`seed ${this.#options.seed}: ${this.#problems[0]}`);
  }

  #noteWarm(): void {
    if (this.#warm === 0 && this.#done >= this.#options.frames * WARM_SHARE)
      this.#warm = this.#relay.memory();
  }

  #count(what: string, times = 1): void {
    this.#answers.set(what, (this.#answers.get(what) ?? 0) + times);
  }

  #report(handlesBefore: number, pair: HealthyPair): Omit<FuzzReport, 'seconds'> {
    const inMib = (bytes: number) => Math.round(bytes / MIB);
    const { latencies } = pair;
    return {
      seed: this.#options.seed,
      ...this.#counts,
      answers: Object.fromEntries([...this.#answers].sort(([a], [b]) => a.localeCompare(b))),
      memoryMb: {
        warm: inMib(this.#warm),
        end: inMib(this.#relay.memory()),
        peak: inMib(this.#relay.peakMemory()),
      },
      handles: { before: handlesBefore, end: this.#relay.handles() },
      pairMs: {
        p50: Math.round(percentile(latencies, 50)),
        p99: Math.round(percentile(latencies, 99)),
        messages: latencies.length,
      },
    };
  }
}
