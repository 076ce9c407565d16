/** `approve`, `reject`, `answer`: one decision, and what became of it. Must not know how items are listed. */
import { text as readAll } from 'node:stream/consumers';
import type { AnswerContent, ApproveOptions, Client, InboxItem, SentAnswer } from '../../api.js';
import { type GlobalOptions, withClient } from '../device.js';
import { CliError, EXIT } from '../exit-codes.js';
import { findItem } from '../find-item.js';
import type { Io, Output } from '../io.js';
import { answerJson } from '../item-json.js';

export interface AnswerCommandOptions extends GlobalOptions {
  /** Seconds to wait for the item. */
  wait: number;
  /** Seconds to wait for the agent's confirmation. */
  timeout: number;
}

export interface ApproveCommandOptions extends AnswerCommandOptions {
  session?: boolean;
  for?: number;
  rule?: string;
  arguments?: string;
}

export function approveCommand(
  id: string,
  options: ApproveCommandOptions,
  io: Io,
  output: Output,
): Promise<number> {
  const how = approveOptions(options);
  return decide(id, options, io, output, async (client, found) => {
    const item = found.whole ? found : ((await client.load(found)) ?? found);
    return client.approve(item, how);
  });
}

function approveOptions(options: ApproveCommandOptions): ApproveOptions {
  const { session, rule } = options;
  if (session === true && options.for !== undefined) {
    throw new CliError(EXIT.usage, 'usage', 'Choose --session or --for, not both.');
  }
  return {
    bypassSecs: session === true ? 0 : options.for,
    ruleId: rule,
    modifiedArguments:
      options.arguments === undefined ? undefined : objectOf(options.arguments, '--arguments'),
  };
}

export interface RejectCommandOptions extends AnswerCommandOptions {
  reason?: string;
  stop?: boolean;
  respond?: boolean;
}

export function rejectCommand(
  id: string,
  options: RejectCommandOptions,
  io: Io,
  output: Output,
): Promise<number> {
  const { reason, stop, respond } = options;
  return decide(id, options, io, output, (client, item) => client.reject(item, { reason, stop, respond }));
}

export interface AnswerTextOptions extends AnswerCommandOptions {
  content?: string;
  stdin?: boolean;
  decline?: boolean;
  cancel?: boolean;
}

export function answerCommand(
  id: string,
  given: string | undefined,
  options: AnswerTextOptions,
  io: Io,
  output: Output,
): Promise<number> {
  return decide(id, options, io, output, async (client, item) =>
    client.answer(item, await contentOf(item, given, options, io)),
  );
}

async function contentOf(
  item: InboxItem,
  given: string | undefined,
  options: AnswerTextOptions,
  io: Io,
): Promise<AnswerContent> {
  if (item.kind === 'elicitation' && options.decline === true)
    return { kind: 'elicitation', action: 'decline' };
  if (item.kind === 'elicitation' && options.cancel === true)
    return { kind: 'elicitation', action: 'cancel' };
  if (item.kind === 'elicitation' && options.content !== undefined) {
    return { kind: 'elicitation', action: 'accept', content: objectOf(options.content, '--content') };
  }
  if (given !== undefined && item.entry.sensitive === true) {
    throw new CliError(
      EXIT.usage,
      'usage',
      'This answer is secret: give it with --stdin, not on the command line.',
    );
  }
  const text = options.stdin === true ? (await readAll(io.stdin)).replace(/\r?\n$/, '') : given;
  if (text === undefined) throw new CliError(EXIT.usage, 'usage', 'Give the answer, or --stdin to read it.');
  if (item.kind !== 'elicitation') return { kind: 'clarification', answer: text };
  return {
    kind: 'elicitation',
    action: 'accept',
    content: { [fieldOf(item)]: new TextEncoder().encode(text) },
  };
}

export function fieldOf(item: InboxItem): string {
  const { field_name } = item.entry;
  return typeof field_name === 'string' && field_name !== '' ? field_name : 'value';
}

async function decide(
  id: string,
  options: AnswerCommandOptions,
  io: Io,
  output: Output,
  give: (client: Client, item: InboxItem) => Promise<SentAnswer>,
): Promise<number> {
  const openedAt = Date.now();
  return withClient(options, io, async (client) => {
    const item = await findItem(client, id, { openedAt, ms: options.wait * 1000 }, io);
    const sent = await give(client, item);
    return report(item, sent, options.timeout * 1000, output);
  });
}

/** Waits for the agent's word and says it. */
export async function report(
  item: InboxItem,
  sent: SentAnswer,
  timeoutMs: number,
  output: Output,
): Promise<number> {
  const state = await sent.settled({ timeoutMs });
  output.result({ request_id: item.requestId, answer: answerJson(state) }, sentence(state));
  if (state.phase === 'confirmed') return EXIT.done;
  return state.phase === 'refused' ? EXIT.refused : EXIT.notConfirmed;
}

export function sentence(state: SentAnswer['state']): string {
  if (state.phase === 'confirmed') {
    const outcome = state.outcome === undefined ? '' : `: ${state.outcome}`;
    const lowered = state.bypassSecs === undefined ? '' : ` (for ${state.bypassSecs} seconds)`;
    return `Confirmed by the agent${outcome}${lowered}.`;
  }
  if (state.phase === 'refused') return `Refused: ${state.message}`;
  return 'Not confirmed yet. Run "list" or "watch" to see what becomes of it.';
}

function objectOf(json: string, option: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new CliError(EXIT.usage, 'usage', `${option} takes a JSON object.`);
}
