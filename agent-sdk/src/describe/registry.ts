/**
 * Calls in words: a host's own describers, the built-in ones, and the generic view behind them. Must not run anything
 * but describers, and trusts none of a host's.
 */
import { CONTENT } from '@countersign/protocol';
import {
  collectJsonSecrets,
  collectSecrets,
  createMasker,
  type View,
  viewSchema,
} from '@countersign/protocol/blocks';
import { builtInDescribers } from './built-in.js';
import { type CallArguments, type JsonObject, namedArguments } from './call.js';
import type { DescribeContext, Describer, DescriberEntry, RiskEstimate } from './describer.js';
import { type Candidate, Directory } from './directory.js';
import { genericBlocks, genericSummary } from './generic.js';
import { asReads, asRisk } from './judge.js';
import { withClaims } from './server-claims.js';
import { layOut } from './summary.js';
import { cutView } from './view-size.js';

/** What stands around a call; `toolName` is the call's own. */
export type CallContext = Omit<Partial<DescribeContext>, 'toolName'>;

export interface Registry {
  /**
   * A name, a name with `*` for any characters, or an expression; and a describer. An exact name wins, then whatever
   * came last, then the built-in describers. What a describer does not accept goes on to the next one.
   */
  add(nameOrPattern: string | RegExp, describer: Describer): void;
  /** The summary: one line within the limits, secrets masked. */
  describe(toolName: string, args: unknown, context?: CallContext): string;
  /** The view, cut to what fits into a message; its summary is that of {@link describe}. */
  describeView(toolName: string, args: unknown, context?: CallContext): View;
  /**
   * The estimate of a call's risk; `normal` without reasons for a call nobody knows. A server's hints in
   * `context.annotations` may make it graver, and lighter only where nothing else is known. Never a gate.
   */
  risk(toolName: string, args: unknown, context?: CallContext): RiskEstimate;
  /** View and risk of a frozen call; arguments that are only a text are shown verbatim and meet no describer. */
  describeCall(toolName: string, call: CallArguments, context?: CallContext): DescribedCall;
  /** Paths whose present content would make the view better; at most {@link MAX_READS}. */
  reads(toolName: string, call: CallArguments, context?: CallContext): readonly string[];
}

export interface DescribedCall {
  readonly view: View;
  readonly risk: RiskEstimate;
}

export type FallbackReason = 'threw' | 'slow' | 'nonsense';

export interface RegistryOptions {
  /** Told once per describer that its words were not used; never told the arguments. Must not throw. */
  onFallback?: ((toolName: string, reason: FallbackReason) => void) | undefined;
  /** Milliseconds of any origin, for the limit of 50 ms. */
  now?: (() => number) | undefined;
  /** In place of the describers that come with the SDK; `[]` for none. */
  builtIns?: readonly DescriberEntry[] | undefined;
}

const NO_FILES: ReadonlyMap<string, never> = new Map<string, never>();
const UNKNOWN_RISK: RiskEstimate = { level: 'normal', reasons: [] };

/** A registry with the built-in describers. None of its methods but `add` throws. */
export function createRegistry(options: RegistryOptions = {}): Registry {
  return new Describers(options);
}

type Ask<T> = (describer: Describer, args: JsonObject, context: DescribeContext) => T;

class Describers implements Registry {
  readonly #directory: Directory;
  readonly #told = new Set<Describer>();
  readonly #onFallback: (toolName: string, reason: FallbackReason) => void;
  readonly #now: () => number;

  constructor(options: RegistryOptions) {
    this.#directory = new Directory(options.builtIns ?? builtInDescribers());
    this.#onFallback = options.onFallback ?? (() => {});
    this.#now = options.now ?? (() => performance.now());
  }

  add(nameOrPattern: string | RegExp, describer: Describer): void {
    this.#directory.add(nameOrPattern, describer);
  }

  describe(toolName: string, args: unknown, context?: CallContext): string {
    return this.describeView(toolName, args, context).summary;
  }

  describeView(toolName: string, args: unknown, context?: CallContext): View {
    return this.describeCall(toolName, { arguments: args }, context).view;
  }

  risk(toolName: string, args: unknown, context?: CallContext): RiskEstimate {
    return this.describeCall(toolName, { arguments: args }, context).risk;
  }

  describeCall(toolName: string, call: CallArguments, given: CallContext = {}): DescribedCall {
    const context = contextOf(toolName, given);
    const chosen = this.#choose(toolName, call, context);
    const blocks = this.#blocks(chosen) ?? genericBlocks(call);
    const cut = cutView({ v: CONTENT.viewVersion, summary: '', blocks });
    const searched = new Set<string>();
    const secrets = [...collectJsonSecrets(call.arguments, searched), ...collectSecrets(cut, searched)];
    const mask = createMasker(secrets);
    const summary = this.#summary(chosen, mask) ?? genericSummary(toolName, call);
    const view = { ...cut, summary };
    return { view, risk: withClaims(this.#risk(chosen, mask) ?? UNKNOWN_RISK, context.annotations) };
  }

  reads(toolName: string, call: CallArguments, given: CallContext = {}): readonly string[] {
    const chosen = this.#choose(toolName, call, contextOf(toolName, { ...given, files: NO_FILES }));
    if (chosen?.candidate.describer.reads === undefined) return [];
    return this.#ask(chosen, (describer, args, context) => describer.reads?.(args, context), asReads) ?? [];
  }

  /** The first describer that takes the call. */
  #choose(toolName: string, call: CallArguments, context: DescribeContext): Chosen | undefined {
    const args = call.argumentsText === undefined ? namedArguments(call) : undefined;
    if (args === undefined) return undefined;
    for (const candidate of this.#directory.find(toolName)) {
      const chosen = { candidate, args, context };
      if (candidate.describer.accepts === undefined) return chosen;
      const accepts: Ask<unknown> = (describer, copy) => describer.accepts?.(copy, context);
      if (this.#ask(chosen, accepts, (taken) => (typeof taken === 'boolean' ? taken : undefined)))
        return chosen;
    }
    return undefined;
  }

  #blocks(chosen: Chosen | undefined): View['blocks'] | undefined {
    const accept = (given: unknown) => {
      const blocks = Array.isArray(given) ? given : (given as View).blocks;
      // Tests prove it of the built-in ones.
      if (chosen?.candidate.own === false) return blocks as View['blocks'];
      return viewSchema.safeParse({ v: CONTENT.viewVersion, summary: '', blocks }).data?.blocks;
    };
    return this.#ask(chosen, (describer, args, context) => describer.view(args, context), accept);
  }

  #summary(chosen: Chosen | undefined, mask: (text: string) => string): string | undefined {
    return this.#ask(
      chosen,
      (describer, args, context) => describer.summary(args, context),
      (given) =>
        typeof given === 'string' || Array.isArray(given) ? layOut(given, mask) || undefined : undefined,
    );
  }

  #risk(chosen: Chosen | undefined, mask: (text: string) => string): RiskEstimate | undefined {
    if (chosen?.candidate.describer.risk === undefined) return undefined;
    return this.#ask(
      chosen,
      (describer, args, context) => describer.risk?.(args, context),
      (given) => asRisk(given, mask),
    );
  }

  /** What the describer says, or undefined when there is none or its words cannot be used. */
  #ask<T>(chosen: Chosen | undefined, question: Ask<unknown>, accept: (given: unknown) => T | undefined) {
    if (chosen === undefined) return undefined;
    const { candidate, args, context } = chosen;
    try {
      const copy = candidate.own ? structuredClone(args) : args;
      const began = this.#now();
      const given = question(candidate.describer, copy, context);
      const slow = candidate.own && this.#now() - began > CONTENT.describerMs;
      if (slow) return this.#fallBack(chosen, 'slow');
      return accept(given) ?? this.#fallBack(chosen, 'nonsense');
    } catch {
      return this.#fallBack(chosen, 'threw');
    }
  }

  #fallBack({ candidate, context }: Chosen, reason: FallbackReason): undefined {
    if (this.#told.has(candidate.describer)) return;
    this.#told.add(candidate.describer);
    this.#onFallback(context.toolName, reason);
  }
}

interface Chosen {
  readonly candidate: Candidate;
  readonly args: JsonObject;
  readonly context: DescribeContext;
}

function contextOf(toolName: string, given: CallContext): DescribeContext {
  return { ...given, toolName, files: given.files ?? NO_FILES };
}
