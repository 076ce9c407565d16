/** The label and colour under which a person knows an agent (several agents stand in one inbox). */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AppDatabase } from './database.js';

/** Colours an agent may have; each theme says what they look like. */
export const AGENT_COLORS = 8;

export interface AgentLook {
  /** Given by the person; absent: the agent's own name. */
  readonly label?: string | undefined;
  /** 0 … {@link AGENT_COLORS} - 1. */
  readonly color: number;
}

export class Agents {
  readonly looks: ReadonlySignal<ReadonlyMap<string, AgentLook>>;
  readonly #looks;
  readonly #database: AppDatabase;

  private constructor(database: AppDatabase, looks: ReadonlyMap<string, AgentLook>) {
    this.#database = database;
    this.#looks = signal(looks);
    this.looks = this.#looks;
  }

  static async open(database: AppDatabase): Promise<Agents> {
    const [keys, values] = await Promise.all([database.getAllKeys('agents'), database.getAll('agents')]);
    return new Agents(database, new Map(keys.map((key, at) => [key, readLook(values[at])])));
  }

  /** Of any pairing: what was chosen, or a colour that follows from its id. */
  lookOf(pairingId: string): AgentLook {
    return this.#looks.value.get(pairingId) ?? { color: colorOf(pairingId) };
  }

  /** Gives a new pairing a colour that no other has, while there is one. */
  async welcome(pairingId: string, present: readonly string[]): Promise<void> {
    if (this.#looks.value.has(pairingId)) return;
    const taken = new Set(present.filter((id) => id !== pairingId).map((id) => this.lookOf(id).color));
    const wanted = colorOf(pairingId);
    const order = Array.from({ length: AGENT_COLORS }, (_, step) => (wanted + step) % AGENT_COLORS);
    await this.change(pairingId, { color: order.find((color) => !taken.has(color)) ?? wanted });
  }

  async change(pairingId: string, change: Partial<AgentLook>): Promise<void> {
    const look = { ...this.lookOf(pairingId), ...change };
    this.#looks.value = new Map(this.#looks.value).set(pairingId, look);
    await this.#database.put('agents', look, pairingId);
  }

  async forget(pairingId: string): Promise<void> {
    const rest = new Map(this.#looks.value);
    rest.delete(pairingId);
    this.#looks.value = rest;
    await this.#database.delete('agents', pairingId);
  }
}

/** Ids are hashes: their first byte is as good as chance. */
export function colorOf(pairingId: string): number {
  const first = Number.parseInt(pairingId.slice(0, 2), 16);
  return Number.isNaN(first) ? 0 : first % AGENT_COLORS;
}

function readLook(stored: unknown): AgentLook {
  const { label, color } = (stored ?? {}) as { label?: unknown; color?: unknown };
  const isColor = Number.isInteger(color) && (color as number) >= 0 && (color as number) < AGENT_COLORS;
  return {
    color: isColor ? (color as number) : 0,
    ...(typeof label === 'string' && label !== '' ? { label } : {}),
  };
}
