/** Which describers a tool has, best first. Must not ask them anything. */
import type { Describer, DescriberEntry } from './describer.js';
import { ownName, plainName, stateless, wildcard } from './names.js';

export interface Candidate {
  readonly describer: Describer;
  /** A host's own is not trusted: it gets copies and a time limit. */
  readonly own: boolean;
}

interface Pattern {
  readonly expression: RegExp;
  readonly candidate: Candidate;
}

/** Tool names whose describers are remembered. */
const MAX_REMEMBERED = 1_000;
const MAX_REMEMBERED_UNITS = 256;

/**
 * A host's own first: an exact name, then whatever pattern came last. Then the built-in ones: the whole name, the
 * name without its server, patterns in their order; built-in names are compared by {@link plainName}.
 */
export class Directory {
  readonly #ownNames = new Map<string, Candidate>();
  readonly #ownPatterns: Pattern[] = [];
  readonly #names = new Map<string, Candidate[]>();
  readonly #patterns: Pattern[] = [];

  /** Answers given, until a describer is added. */
  readonly #found = new Map<string, readonly Candidate[]>();

  constructor(builtIns: readonly DescriberEntry[]) {
    for (const [nameOrPattern, describer] of builtIns) {
      const candidate = { describer, own: false };
      const expression = expressionOf(nameOrPattern);
      if (expression !== undefined) this.#patterns.push({ expression, candidate });
      else this.#addName(plainName(String(nameOrPattern)), candidate);
    }
  }

  add(nameOrPattern: string | RegExp, describer: Describer): void {
    this.#found.clear();
    const candidate = { describer, own: true };
    const expression = expressionOf(nameOrPattern);
    if (expression !== undefined) this.#ownPatterns.unshift({ expression, candidate });
    else this.#ownNames.set(String(nameOrPattern), candidate);
  }

  find(toolName: string): readonly Candidate[] {
    const known = this.#found.get(toolName);
    if (known !== undefined) return known;
    const found = this.#look(toolName);
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
    if (toolName.length <= MAX_REMEMBERED_UNITS) this.#found.set(toolName, found);
    return found;
  }

  #look(toolName: string): Candidate[] {
    const exact = this.#ownNames.get(toolName);
    return [
      ...(exact === undefined ? [] : [exact]),
      ...matching(this.#ownPatterns, toolName),
      ...this.#builtIn(toolName),
    ];
  }

  #builtIn(toolName: string): Candidate[] {
    const [whole, own] = [plainName(toolName), ownName(toolName)];
    return [
      ...(this.#names.get(whole) ?? []),
      ...(own === whole ? [] : (this.#names.get(own) ?? [])),
      ...matching(this.#patterns, toolName),
    ];
  }

  #addName(name: string, candidate: Candidate): void {
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, [candidate]);
    else known.push(candidate);
  }
}

function matching(patterns: readonly Pattern[], toolName: string): Candidate[] {
  return patterns.filter(({ expression }) => expression.test(toolName)).map(({ candidate }) => candidate);
}

function expressionOf(nameOrPattern: string | RegExp): RegExp | undefined {
  if (typeof nameOrPattern !== 'string') return stateless(nameOrPattern);
  return nameOrPattern.includes('*') ? wildcard(nameOrPattern) : undefined;
}
