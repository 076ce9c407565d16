/**
 * What a describer is given and what it says: the interface between the registry and every family of tools. Must not
 * know any tool.
 */
import type { Block, View } from '@countersign/protocol/blocks';
import type { JsonObject } from './call.js';

/** Why a file's present content is not at hand. */
export type FileProblem =
  /** Nothing is there. */
  | 'missing'
  /** No UTF-8 text. */
  | 'binary'
  /** Larger than 1 MiB. */
  | 'too_large'
  /** Outside the directories the agent may read, also by way of a link. */
  | 'outside'
  /** A directory, a FIFO, a socket, a device. */
  | 'not_regular'
  /** More files, or more text in all, than one call may have read. */
  | 'too_many'
  /** The system refused. */
  | 'unreadable';

/** A file as it was when the person was asked. `bytes` is its size, where known. */
export type FileContent =
  | { readonly text: string }
  | { readonly problem: FileProblem; readonly bytes?: number };

/** What stands around a call. One object per call described: {@link oncePerCall} keeps results by it. */
export interface DescribeContext {
  readonly toolName: string;
  /** Directory the agent works in. */
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  /** By path, written as `reads` gave it. A path that is not here was not read: say nothing of its content. */
  readonly files: ReadonlyMap<string, FileContent>;
  /** JSON Schema of the arguments, where the host has it. Hostile like the arguments: servers write it. */
  readonly schema?: JsonObject | undefined;
  /** The tool's own title and description, where the host has them. Hostile too. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /**
   * What an MCP server claims of the tool: `readOnlyHint`, `destructiveHint`, `openWorldHint`, `title`. The registry
   * weighs the hints for every tool after its describer, so that none has to.
   */
  readonly annotations?: JsonObject | undefined;
}

export type RiskLevel = 'low' | 'normal' | 'high';

/** An estimate with its reasons, each a short clause a person reads ("runs as root"). Never a gate by itself. */
export interface RiskEstimate {
  readonly level: RiskLevel;
  readonly reasons: readonly string[];
}

/**
 * A piece of a summary. Plain text is kept whole; the others share what room it leaves: a text whose end matters
 * (path, command) is cut in the middle, another at its end. The registry masks, escapes and cuts; pieces are raw.
 */
export type SummaryPart = string | { readonly text: string; readonly cut: 'middle' | 'end' };

/**
 * Puts one tool's calls into words. All functions are synchronous and pure; a host's own get copies and 50 ms each,
 * built-in ones are bounded by tests. They may throw: the generic view is used then.
 */
export interface Describer {
  /** False: not a call of the shape this describer knows; the next one, or the generic view, has the word. */
  accepts?(args: JsonObject, context: DescribeContext): boolean;
  summary(args: JsonObject, context: DescribeContext): string | readonly SummaryPart[];
  /** Every argument must be in it: begin or end with `otherRows`. */
  view(args: JsonObject, context: DescribeContext): View | readonly Block[];
  risk?(args: JsonObject, context: DescribeContext): RiskEstimate;
  /** Paths, as the call writes them, whose present content the view wants. Given without `files`. */
  reads?(args: JsonObject, context: DescribeContext): readonly string[];
}

/** A name, a name with `*` for any characters, or an expression; and the describer of what it matches. */
export type DescriberEntry = readonly [nameOrPattern: string | RegExp, describer: Describer];

const results = new WeakMap<DescribeContext, Map<unknown, unknown>>();

/** What `make` gives, made once for one call however often its describer asks: `key` says what it is. */
export function oncePerCall<T>(context: DescribeContext, key: unknown, make: () => T): T {
  const known = results.get(context) ?? new Map<unknown, unknown>();
  if (!known.has(key)) known.set(key, make());
  results.set(context, known);
  return known.get(key) as T;
}

export function middle(text: string): SummaryPart {
  return { text, cut: 'middle' };
}

export function end(text: string): SummaryPart {
  return { text, cut: 'end' };
}
