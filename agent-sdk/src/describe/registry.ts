/**
 * Describers by tool name: a host's own words for its own tools, with the generic view behind them. Must not run
 * anything but describers, and trusts none of them.
 */
import { CONTENT } from '@countersign/protocol';
import {
  type Block,
  collectJsonSecrets,
  maskIn,
  summaryLine,
  toWellFormed,
  type View,
  viewSchema,
} from '@countersign/protocol/blocks';
import { type CallArguments, type JsonObject, namedArguments } from './call.js';
import { genericSummary, genericView } from './generic.js';

/**
 * Puts one tool's calls into words. Both functions are synchronous and pure; they get a copy of the arguments.
 */
export interface Describer {
  summary(args: JsonObject): string;
  view(args: JsonObject): View | readonly Block[];
}

export interface Registry {
  /** A name, a name with `*` for any characters, or an expression. An exact name wins, then whatever came last. */
  add(nameOrPattern: string | RegExp, describer: Describer): void;
  /** The summary: one line within the limits, secrets masked. */
  describe(toolName: string, args: unknown): string;
  /** The view; its summary is that of {@link describe}. */
  describeView(toolName: string, args: unknown): View;
  /** The view of a frozen call; arguments that are only a text are shown verbatim and meet no describer. */
  describeCall(toolName: string, call: CallArguments): View;
}

export type FallbackReason = 'threw' | 'slow' | 'nonsense';

export interface RegistryOptions {
  /** Told once per describer that its words were not used; never told the arguments. Must not throw. */
  onFallback?: ((toolName: string, reason: FallbackReason) => void) | undefined;
  /** Milliseconds of any origin, for the limit of 50 ms. */
  now?: (() => number) | undefined;
}

interface Entry {
  matches: (toolName: string) => boolean;
  describer: Describer;
}

/** A registry without describers: it gives the generic view for everything. None of its methods but `add` throws. */
export function createRegistry(options: RegistryOptions = {}): Registry {
  return new Describers(options);
}

class Describers implements Registry {
  readonly #exact = new Map<string, Describer>();
  readonly #patterns: Entry[] = [];
  readonly #told = new Set<Describer>();
  readonly #onFallback: (toolName: string, reason: FallbackReason) => void;
  readonly #now: () => number;

  constructor(options: RegistryOptions) {
    this.#onFallback = options.onFallback ?? (() => {});
    this.#now = options.now ?? (() => performance.now());
  }

  add(nameOrPattern: string | RegExp, describer: Describer): void {
    if (typeof nameOrPattern === 'string' && !nameOrPattern.includes('*')) {
      this.#exact.set(nameOrPattern, describer);
      return;
    }
    const pattern = typeof nameOrPattern === 'string' ? wildcard(nameOrPattern) : stateless(nameOrPattern);
    this.#patterns.unshift({ matches: (toolName) => pattern.test(toolName), describer });
  }

  describe(toolName: string, args: unknown): string {
    return this.#summary(toolName, { arguments: args });
  }

  describeView(toolName: string, args: unknown): View {
    return this.describeCall(toolName, { arguments: args });
  }

  describeCall(toolName: string, call: CallArguments): View {
    const summary = this.#summary(toolName, call);
    const view = this.#ask(
      toolName,
      call,
      (describer, args) => describer.view(args),
      (given) => {
        const blocks = Array.isArray(given) ? given : (given as View).blocks;
        return viewSchema.safeParse({ v: CONTENT.viewVersion, summary, blocks }).data;
      },
    );
    return view ?? { ...genericView(toolName, call), summary };
  }

  #summary(toolName: string, call: CallArguments): string {
    const own = this.#ask(
      toolName,
      call,
      (describer, args) => describer.summary(args),
      (given) => {
        if (typeof given !== 'string') return undefined;
        return summaryLine(maskIn(toWellFormed(given), collectJsonSecrets(call.arguments))) || undefined;
      },
    );
    return own ?? genericSummary(toolName, call);
  }

  /** What the tool's describer says, or undefined when there is none or its words cannot be used. */
  #ask<T>(
    toolName: string,
    call: CallArguments,
    question: (describer: Describer, args: JsonObject) => unknown,
    accept: (given: unknown) => T | undefined,
  ): T | undefined {
    const args = call.argumentsText === undefined ? namedArguments(call) : undefined;
    const describer = this.#find(toolName);
    if (describer === undefined || args === undefined) return undefined;
    try {
      const copy = structuredClone(args);
      const began = this.#now();
      const given = question(describer, copy);
      if (this.#now() - began > CONTENT.describerMs) return this.#fallBack(toolName, describer, 'slow');
      return accept(given) ?? this.#fallBack(toolName, describer, 'nonsense');
    } catch {
      return this.#fallBack(toolName, describer, 'threw');
    }
  }

  #find(toolName: string): Describer | undefined {
    return this.#exact.get(toolName) ?? this.#patterns.find(({ matches }) => matches(toolName))?.describer;
  }

  #fallBack(toolName: string, describer: Describer, reason: FallbackReason): undefined {
    if (this.#told.has(describer)) return;
    this.#told.add(describer);
    this.#onFallback(toolName, reason);
  }
}

function wildcard(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** An expression that remembers where it was would match every second call. */
function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
}
