/** `ask`: one approval for whatever the caller is about to do. Must not run anything. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { escapeInvisible } from '@countersign/protocol/blocks';
import type { ApprovalOutcome, ApprovalRequest, Risk } from '../../api.js';
import { outcomeData } from '../../daemon/index.js';
import { advise, ask } from '../asking.js';
import { usageError } from '../exit-codes.js';
import type { Context } from './context.js';

export interface AskCommandOptions {
  tool: string;
  args?: string;
  summary?: string;
  detail?: string;
  risk?: Risk;
  /** Milliseconds. */
  expires?: number;
  session?: string;
  wait?: boolean;
  json?: boolean;
}

export async function askCommand(options: AskCommandOptions, context: Context): Promise<number> {
  const request: ApprovalRequest = {
    toolName: options.tool,
    argumentsText: await argumentsOf(options.args, context),
    ...itemOptions(options),
    detail: options.detail,
    cwd: context.io.cwd,
  };
  return ask(context, request, { wait: options.wait === true }, async (outcome) => {
    show(outcome, options, context);
    // What follows is the caller's; from here the decision counts as taken up.
    if (outcome.status === 'approved' && outcome.earlier === undefined) await outcome.done();
    return advise(context, outcome);
  });
}

/** Options that `run` has too. */
export function itemOptions({
  summary,
  risk,
  expires,
  session,
}: Partial<AskCommandOptions>): Partial<ApprovalRequest> {
  return { summary, risk, expiresInMs: expires, sessionId: session };
}

function show(outcome: ApprovalOutcome, { json }: AskCommandOptions, { terminal }: Context): void {
  if (json) terminal.json(outcomeData(outcome));
  else terminal.out(escapeInvisible(outcome.text));
}

/** JSON as it was written: nothing of it is lost on the way. */
async function argumentsOf(option: string | undefined, context: Context): Promise<string> {
  if (option === undefined) return '{}';
  const written = await readArguments(option, context);
  try {
    JSON.parse(written);
  } catch {
    throw usageError(`What --args names is not JSON. Example: --args '{"to":"ann@example.org"}'`);
  }
  return written;
}

async function readArguments(option: string, { io }: Context): Promise<string> {
  if (option === '-') return readAll(io.stdin);
  if (!option.startsWith('@')) return option;
  const path = resolve(io.cwd, option.slice(1));
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw usageError(`${path} cannot be read.`);
  }
}
