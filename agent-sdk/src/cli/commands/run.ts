/** `run -- CMD…`: asks for a command, runs exactly what was approved, passes its exit code on. Must not use a shell. */
import { escapeInvisible, escapeToLine } from '@countersign/protocol/blocks';
import { z } from 'zod';
import type { ApprovalOutcome, ApprovedOutcome, Choice } from '../../api.js';
import { quoteArgv } from '../../describe/argv.js';
import { advise, ask } from '../asking.js';
import { type ChildEnd, runInForeground } from '../child.js';
import { CliError, EXIT } from '../exit-codes.js';
import { type AskCommandOptions, itemOptions } from './ask.js';
import type { Context } from './context.js';

export type RunCommandOptions = Pick<
  AskCommandOptions,
  'summary' | 'risk' | 'expires' | 'session' | 'wait'
> & {
  tool: string;
};

/** No standing permission: it would be one for every command. */
const CHOICES: readonly Choice[] = ['approve', 'reject', 'reject_with_reason'];

const commandSchema = z.object({ argv: z.array(z.string()).min(1), cwd: z.string().min(1) });
type ApprovedCommand = z.infer<typeof commandSchema>;

export async function runCommand(
  argv: readonly string[],
  options: RunCommandOptions,
  context: Context,
): Promise<number> {
  const command: ApprovedCommand = { argv: [...argv], cwd: context.io.cwd };
  const request = {
    toolName: options.tool,
    argumentsText: JSON.stringify(command),
    choices: CHOICES,
    cwd: command.cwd,
    ...itemOptions({ ...options, summary: options.summary ?? `Run ${quoteArgv(argv)}` }),
  };
  return ask(context, request, { wait: options.wait === true }, async (outcome) => {
    context.terminal.say(told(outcome, context));
    if (outcome.status !== 'approved' || outcome.earlier !== undefined) return advise(context, outcome);
    return runApproved(outcome, context);
  });
}

function told({ status, text }: ApprovalOutcome, { terminal }: Context): string {
  return terminal.style(status === 'approved' ? 'green' : 'yellow', escapeInvisible(text));
}

/** What runs is what came back from the agent, not what was typed. */
async function runApproved(outcome: ApprovedOutcome, { io, terminal }: Context): Promise<number> {
  const approved = commandSchema.safeParse(outcome.arguments);
  if (!approved.success) {
    await outcome.failed('what was approved is no command');
    throw new CliError(EXIT.failed, 'What was approved is no command; nothing was run.');
  }
  const { argv, cwd } = approved.data;
  const end = await runInForeground(argv, cwd, io);
  if (end.kind === 'not_started') {
    terminal.say(`${escapeToLine(argv[0] ?? '')} was approved but did not run: ${end.reason}.`);
  }
  await record(outcome, end).catch(() => {
    terminal.say('The agent could not be told how the command ended.');
  });
  return end.exitCode;
}

function record(outcome: ApprovedOutcome, end: ChildEnd): Promise<void> {
  if (end.kind === 'not_started') return outcome.failed(end.reason);
  if (end.kind === 'signalled') return outcome.failed(`ended by ${end.signal}`);
  return end.exitCode === 0 ? outcome.done() : outcome.failed(`exit code ${end.exitCode}`);
}
