/**
 * Peers talk while their relay is killed and started again, their connections are cut, stalled and lost, and they
 * themselves come and go. What must hold afterwards: everything queued took effect once, in order, nothing else did,
 * who is there is known to be there, and nothing is left over (01 §5). The schedule comes from the seed.
 */
import { Chance } from '../support/trials/chance.js';
import type { Party } from './party.js';
import type { Applied } from './party-store.js';
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
/** How long everything may take to arrive once nothing fails any more. */
const SETTLE_MS = 60_000;
const POLL_MS = 50;
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
    for (const namespace of this.#world.namespaces) await this.#check(namespace);
  }

  report(): Omit<ChaosReport, 'seconds'> {
    const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
    const { parties } = this.#world;
    return {
      seed: this.#options.seed,
      ...this.#counts,
      queued: sum(parties.flatMap(({ queued }) => [...queued.values()].map(({ size }) => size))),
      accepted: sum(parties.map(({ accepted }) => accepted.size)),
      applied: sum(parties.map(({ store }) => store.applied().length)),
    };
  }

  async #kill(chance: Chance): Promise<void> {
    const { relay } = this.#world;
    while (this.#counts.kills < this.#options.kills && this.#options.goesOn?.() !== false) {
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

  /** Nobody sits out a delay that has grown. */
  #hurry(): void {
    for (const { link } of this.#world.parties) link?.retryNow();
  }

  async #talk(from: Party, to: Party, chance: Chance): Promise<void> {
    while (!this.#over) {
      await pause(chance, BETWEEN_MESSAGES);
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

  /** Everything that was queued arrives, and nothing is left anywhere. */
  async #settle(): Promise<void> {
    const deadline = performance.now() + SETTLE_MS;
    for (;;) {
      this.#hurry();
      const left = await this.#left();
      if (left === undefined) return;
      if (performance.now() > deadline) throw new Error(`after ${SETTLE_MS} ms ${left}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** What is not done yet; undefined when all is. */
  async #left(): Promise<string | undefined> {
    const { parties, relay } = this.#world;
    if (relay.crash !== undefined) throw new Error(relay.crash);
    const away = parties.find(({ link }) => link?.state.phase !== 'online');
    if (away) return `${away.options.name} is not online`;
    const waiting = parties.find(({ store }) => store.waiting() > 0);
    if (waiting) return `${waiting.options.name} has ${waiting.store.waiting()} messages in its outbox`;
    const { messages } = await relay.status();
    return messages > 0 ? `the relay still holds ${messages} messages` : undefined;
  }

  async #check({ agent, devices }: Namespace): Promise<void> {
    for (const device of devices) {
      checkPair(agent, device);
      checkPair(device, agent);
      if (agent.presence.get(device.hex) === false)
        throw new Error('a device that is online is said to be offline');
      if (device.presence.get(agent.hex) === false)
        throw new Error('an agent that is online is said to be offline');
    }
    const online = new Set(await agent.link?.presence());
    const missing = [agent, ...devices].find(({ hex }) => !online.has(hex));
    if (missing) throw new Error(`${missing.options.name} is online and not in the presence list`);
  }
}

/** What one sent another: all that was promised, once, in order, and nothing that was not sent. */
function checkPair(from: Party, to: Party): void {
  const applied = to.appliedFrom(from.hex);
  const words = `${from.options.name} to ${to.options.name}`;
  const tried = from.tried.get(to.hex) ?? new Set();
  const seen = new Set(applied.map(({ n }) => n));
  const lost = [...(from.queued.get(to.hex) ?? [])].filter((n) => !seen.has(n));
  if (lost.length > 0)
    throw new Error(`${words}: ${lost.length} messages were lost, the first is ${lost[0]}`);
  checkAccepted(words, from, to.hex, applied);
  if (seen.size < applied.length) throw new Error(`${words}: a message took effect twice`);
  const strange = applied.find(({ n }) => !tried.has(n));
  if (strange !== undefined) throw new Error(`${words}: ${strange.n} was never sent`);
  checkOrder(
    words,
    applied.filter(({ live }) => !live),
  );
}

/** What the relay said it holds has arrived, whether or not its sender lived to hear that it was queued. */
function checkAccepted(words: string, from: Party, peer: string, applied: readonly Applied[]): void {
  const arrived = new Set(applied.map(({ counter }) => counter));
  for (const id of from.accepted) {
    const sealed = from.sealed.get(id);
    if (sealed === undefined) throw new Error(`${words}: the relay accepted ${id}, which was never queued`);
    if (sealed.peer === peer && !arrived.has(sealed.counter))
      throw new Error(`${words}: the accepted message with counter ${sealed.counter} was lost`);
  }
}

/** Of queued messages: live ones are sent here without waiting for each other, and wait 2 s at most for those queued. */
function checkOrder(words: string, applied: readonly Applied[]): void {
  const late = applied.findIndex(({ n }, at) => at > 0 && n < (applied[at - 1]?.n ?? 0));
  if (late > 0)
    throw new Error(`${words}: ${told(applied[late])} took effect after ${told(applied[late - 1])}`);
}

function told(message: Applied | undefined): string {
  return `${message?.live ? 'the live' : 'the queued'} ${message?.n}`;
}

function pause(chance: Chance, [min, max]: Range): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, chance.between(min, max)));
}
