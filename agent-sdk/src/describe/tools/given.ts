/**
 * The arguments of one call, read by the names that tools give them: spelling aside (`thread_ts`, `threadTs`), only
 * own members, only of the type asked for. Remembers what was read, so that the rest can be shown too, and where two
 * names for the same thing disagree. Must not know any tool.
 */
import { jsonText } from '@countersign/protocol/blocks';
import type { JsonObject } from '../call.js';
import { plainName } from '../names.js';

/** More members are not looked up by name; all are shown. */
const MAX_NAMES = 500;
/** Lists of words are read this far. */
const MAX_LISTED = 200;

export class Given {
  readonly args: JsonObject;
  readonly #names = new Map<string, string[]>();
  readonly #used = new Set<string>();
  readonly #rivals = new Map<string, string>();

  constructor(args: JsonObject) {
    this.args = args;
    for (const name of Object.keys(args).slice(0, MAX_NAMES)) {
      const plain = plainName(name);
      const same = this.#names.get(plain);
      if (same === undefined) this.#names.set(plain, [name]);
      else same.push(name);
    }
  }

  /** The arguments read so far. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  /** Names for one thing with different values: nobody can tell which one the tool takes. */
  get rivals(): readonly string[] {
    return [...this.#rivals].map(([taken, other]) => `${taken} and ${other}`);
  }

  /** A text that is not blank. */
  text(...names: string[]): string | undefined {
    return this.#take(names, (value) =>
      typeof value === 'string' && value.trim() !== '' ? value : undefined,
    );
  }

  /** A text or a number, as text. */
  word(...names: string[]): string | undefined {
    return this.#take(names, wordOf);
  }

  /** Whether one of these is true, or says so. */
  flag(...names: string[]): boolean {
    return this.truth(...names) === true;
  }

  truth(...names: string[]): boolean | undefined {
    return this.#take(names, (value) =>
      typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined,
    );
  }

  /** A list of texts or numbers, or one alone; empty when there is none. */
  words(...names: string[]): readonly string[] {
    return (
      this.#take(names, (value) => {
        const word = wordOf(value);
        if (word !== undefined) return [word];
        if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LISTED) return undefined;
        const words = value.map(wordOf);
        return words.every((one) => one !== undefined) ? words : undefined;
      }) ?? []
    );
  }

  object(...names: string[]): JsonObject | undefined {
    return this.#take(names, asObject);
  }

  list(...names: string[]): readonly unknown[] | undefined {
    return this.#take(names, (value) => (Array.isArray(value) && value.length > 0 ? value : undefined));
  }

  /** Any value, null aside. */
  any(...names: string[]): unknown {
    return this.#take(names, (value) => value ?? undefined);
  }

  /** Every text or number under any of these names, in this order: for things that take several words to say. */
  every(...names: string[]): readonly string[] {
    const found = names.flatMap((name) => this.#names.get(plainName(name)) ?? []);
    const values = found.flatMap((name) => {
      const word = wordOf(this.args[name]);
      if (word !== undefined) this.#used.add(name);
      return word ?? [];
    });
    return [...new Set(values)];
  }

  has(...names: string[]): boolean {
    return names.some((name) => this.#names.has(plainName(name)));
  }

  #take<T>(names: readonly string[], read: (value: unknown) => T | undefined): T | undefined {
    let first: { readonly name: string; readonly value: T } | undefined;
    for (const wanted of names) {
      for (const name of this.#names.get(plainName(wanted)) ?? []) {
        const value = read(this.args[name]);
        if (value === undefined) continue;
        if (first === undefined) first = { name, value };
        else if (!this.#rivals.has(first.name) && !same(this.args[name], this.args[first.name]))
          this.#rivals.set(first.name, name);
      }
    }
    if (first !== undefined) this.#used.add(first.name);
    return first?.value;
  }
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function same(one: unknown, other: unknown): boolean {
  return one === other || jsonText(one) === jsonText(other);
}
