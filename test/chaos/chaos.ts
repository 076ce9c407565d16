/**
 * Peers talk while their relay is killed and started again, their connections are cut, stalled and lost, and they
 * themselves come and go. What must hold afterwards: everything queued took effect once, in order, nothing else did,
 * who is there is known to be there, and nothing is left over (01 §5). The schedule comes from the seed.
 */
import { Chance } from '../support/trials/chance.js';
import { checkPair, unseenIn } from './checks.js';
import type { Party } from './party.js';
import { type Namespace, World } from './world.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly kills: number;
  readonly onProgress?: (kills: number) => void;
  /** Asked before each kill; refused, the trial settles and ends. */
  readonly goesOn?: () => boolean;
}

export interface ChaosReport {
  readonly seed: number;
  readonly kills: number;
  readonly cuts: number;
  readonly losses: number;
  readonly stalls: number;
  readonly crashes: number;
  readonly departures: number;
  readonly queued: number;
  /** Messages of which the relay said that it holds them. */
  readonly accepted: number;
  readonly live: number;
  readonly applied: number;
  readonly seconds: number;
}

const NAMESPACES = 3;
const DEVICES = 2;
/** Milliseconds, each with its least and most. */
const BETWEEN_MESSAGES = [5, 120] as const;
const BETWEEN_FAULTS = [400, 4000] as const;
const RELAY_UP = [100, 1300] as const;
const RELAY_DOWN = [0, 200] as const;
const PARTY_DOWN = [0, 1000] as const;
const STALL = [10, 400] as const;
/**
 * Once nothing fails any more, how long nothing at all may arrive. The whole may take as long as it takes: how fast a
 * machine gets through what has piled up says nothing about the relay. Longer, at the links' haste, than any delay.
 */
const STANDSTILL_MS = 60_000;
const POLL_MS = 100;
/** From an outbox to the relay, and from there. */
const STEPS_TO_RECIPIENT = 2;
/** A peer says nothing new while so many of its messages wait: a relay that is hardly ever up has not the time for more. */
const MAX_WAITING = 100;
/** How long a kill waits for a message to get through, where it is to interrupt others. */
const FLOW_MS = 3000;
/** Of a hundred kills: those that wait so. The others come whenever they come, mostly during logins on a slow machine. */
const FLOW_SHARE = 50;
/** Of a hundred messages. */
const QUEUED_SHARE = 65;

type Range = readonly [number, number];

/** @throws Error that names the seed and what did not hold. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const world = await World.open(NAMESPACES, DEVICES);
  const since = performance.now();
  const trial = new Trial(world, options);
  try {
    await trial.run();
    return { ...trial.report(), seconds: Math.round((performance.now() - since) / 1000) };
  } catch (error) {
    throw new Error(
      `seed ${options.seed}: ${String(error)}\nAgain: npm run chaos -- --seed ${options.seed} --kills ${options.kills}`,
      { cause: error },
    );
  } finally {
    await world.close();
  }
}

class Trial {
  readonly #world: World;
  readonly #options: ChaosOptions;
  readonly #counts = { kills: 0, cuts: 0, losses: 0, stalls: 0, crashes: 0, departures: 0, live: 0 };
  #over = false;

  constructor(world: World, options: ChaosOptions) {
    this.#world = world;
    this.#options = options;
  }

  async run(): Promise<void> {
    const chance = new Chance(this.#options.seed);
    const talking = this.#world.namespaces.flatMap((namespace) => {
      const pairs = namespace.devices.flatMap((device) => [
        [namespace.agent, device] as const,
        [device, namespace.agent] as const,
      ]);
      return pairs.map(([from, to]) => this.#talk(from, to, chance.fork()));
    });
    const failing = this.#world.parties.map((party) => this.#trouble(party, chance.fork()));
    await this.#kill(chance.fork());
    this.#over = true;
    await Promise.all([...talking, ...failing]);
    await this.#settle();
    for (const namespace of this.#world.namespaces) this.#check(namespace);
  }

  report(): Omit<ChaosReport, 'seconds'> {
    const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
    const { parties } = this.#world;
    return {
      seed: this.#options.seed,
      ...this.#counts,
      queued: sum(parties.flatMap(({ queued }) => [...queued.values()].map(({ size }) => size))),
      accepted: this.#accepted(),
      applied: sum(parties.map(({ store }) => store.applied().length)),
    };
  }

  async #kill(chance: Chance): Promise<void> {
    const { relay } = this.#world;
    while (this.#counts.kills < this.#options.kills && this.#options.goesOn?.() !== false) {
      if (chance.percent(FLOW_SHARE)) await this.#flow();
      await pause(chance, RELAY_UP);
      if (relay.crash !== undefined) throw new Error(relay.crash);
      await relay.kill();
      this.#counts.kills++;
      this.#world.disconnect();
      await pause(chance, RELAY_DOWN);
      await relay.start();
      this.#world.connect();
      this.#hurry();
      this.#options.onProgress?.(this.#counts.kills);
    }
  }

  /** Until the relay has accepted something more. */
  async #flow(): Promise<void> {
    const [before, until] = [this.#accepted(), performance.now() + FLOW_MS];
    while (this.#accepted() === before && performance.now() < until) await sleep(POLL_MS);
  }

  /** How many messages the relay said that it holds. */
  #accepted(): number {
    return this.#world.parties.reduce((sum, { accepted }) => sum + accepted.size, 0);
  }

  /** Nobody sits out a delay that has grown. */
  #hurry(): void {
    for (const { link } of this.#world.parties) link?.retryNow();
  }

  async #talk(from: Party, to: Party, chance: Chance): Promise<void> {
    while (!this.#over) {
      await pause(chance, BETWEEN_MESSAGES);
      if (from.store.waiting() >= MAX_WAITING) continue;
      // Not waited for: a process that is killed never answers.
      if (chance.percent(QUEUED_SHARE)) void from.queue(to.hex);
      else {
        this.#counts.live++;
        void from.live(to.hex);
      }
    }
  }

  async #trouble(party: Party, chance: Chance): Promise<void> {
    while (!this.#over) {
      await pause(chance, BETWEEN_FAULTS);
      await this.#fault(party, chance);
    }
  }

  async #fault(party: Party, chance: Chance): Promise<void> {
    const { wire } = party.options;
    const kind = chance.between(1, 10);
    if (kind <= 3) {
      this.#counts.cuts++;
      wire.cut();
    } else if (kind <= 5) {
      this.#counts.losses++;
      wire.lose();
    } else if (kind <= 7) {
      this.#counts.stalls++;
      wire.stall(chance.between(...STALL));
    } else {
      if (kind <= 9) {
        this.#counts.crashes++;
        party.crash();
      } else {
        this.#counts.departures++;
        await party.stop();
      }
      await pause(chance, PARTY_DOWN);
      party.start();
    }
  }

  /** Everything that was queued arrives, nothing is left anywhere, and everyone is known to be there. */
  async #settle(): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    let deadline = 0;
    for (;;) {
      this.#hurry();
      const { words, steps } = await this.#left();
      if (words === undefined) return;
      if (steps < least) {
        least = steps;
        deadline = performance.now() + STANDSTILL_MS;
      }
      if (performance.now() > deadline)
        throw new Error(`after ${STANDSTILL_MS} ms without progress ${words}`);
      await sleep(POLL_MS);
    }
  }

  /** What is not done yet, undefined when all is, and how many steps messages have before them. */
  async #left(): Promise<{ words: string | undefined; steps: number }> {
    const { namespaces, parties, relay } = this.#world;
    if (relay.crash !== undefined) throw new Error(relay.crash);
    const away = parties.find(({ link }) => link?.state.phase !== 'online');
    const waiting = parties.reduce((sum, { store }) => sum + store.waiting(), 0);
    // Asked last: what has left the outboxes by now is among what it holds, or was.
    const { messages } = await relay.status();
    const steps = STEPS_TO_RECIPIENT * waiting + messages;
    if (away) return { words: `${away.options.name} is not online`, steps };
    if (steps > 0)
      return { words: `${waiting} messages are in outboxes, and ${messages} at the relay`, steps };
    const unseen = await Promise.all(namespaces.map(unseenIn));
    return { words: unseen.find((words) => words !== undefined), steps };
  }

  #check({ agent, devices }: Namespace): void {
    for (const device of devices) {
      checkPair(agent, device);
      checkPair(device, agent);
    }
  }
}

function pause(chance: Chance, [min, max]: Range): Promise<void> {
  return sleep(chance.between(min, max));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
