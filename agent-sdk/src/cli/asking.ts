/**
 * One approval from question to outcome, for `ask` and `run`: shows what is waited for, withdraws on an interrupt,
 * and finds its item again when the daemon dies. Must not know what the approval is for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { escapeInvisible, escapeToLine } from '@countersign/protocol/blocks';
import type { AgentDevice, ApprovalOutcome, ApprovalRequest, PushReport } from '../api.js';
import type { RemoteAgent } from '../daemon/index.js';
import type { Context } from './commands/context.js';
import { inWords } from './duration.js';
import { CliError, exitCodeOfOutcome } from './exit-codes.js';
import { watchRelay } from './relay-watch.js';

/** A daemon that dies more often than this while one item waits is beyond help. */
const MAX_DAEMONS = 3;
/** How long an interrupted command waits to hear that its item is withdrawn. */
const WITHDRAW_MS = 5_000;

export interface AskOptions {
  /** Wait for a device to be paired instead of ending when there is none. */
  readonly wait: boolean;
}

/** `finish` gets the outcome while the agent can still be told what became of it. @throws CliError with the code of the signal. */
export async function ask(
  context: Context,
  request: ApprovalRequest,
  options: AskOptions,
  finish: (outcome: ApprovalOutcome) => Promise<number>,
): Promise<number> {
  const question = new Question(context, request);
  let agent = await context.reach();
  try {
    if (options.wait) await question.whenDevice(agent);
    for (let daemons = 1; ; daemons++) {
      try {
        const outcome = await question.put(agent);
        await question.refuseWhenInterrupted(outcome);
        return await finish(outcome);
      } catch (error) {
        if (!agent.lost || context.interrupted.aborted || daemons >= MAX_DAEMONS || question.decided)
          throw error;
        context.terminal.say('The daemon has ended; starting another one.');
        agent = await context.reach();
      }
    }
  } finally {
    await agent.close();
  }
}

class Question {
  /** Once true it is never put again: what was approved may have run. */
  decided = false;
  readonly #context: Context;
  readonly #request: ApprovalRequest;
  #requestId: string | undefined;

  constructor(context: Context, request: ApprovalRequest) {
    this.#context = context;
    this.#request = request;
  }

  async put(agent: RemoteAgent): Promise<ApprovalOutcome> {
    const { interrupted, terminal, place } = this.#context;
    if (interrupted.aborted) throw interruption(interrupted);
    const stopWatching = watchRelay(agent, terminal, place.dirOption);
    const stopListening = agent.on('push', (report) => this.#tellPush(report));
    try {
      const outcome = await Promise.race([this.#outcome(agent), tooLate(interrupted)]);
      this.decided = true;
      return outcome;
    } finally {
      stopListening();
      stopWatching();
    }
  }

  /** A push that nobody gets is why nobody answers. */
  #tellPush({ requestId, missed, text }: PushReport): void {
    const { terminal } = this.#context;
    if (missed && requestId === this.#requestId) terminal.say(terminal.style('yellow', escapeToLine(text)));
  }

  /** An approval that comes with the interrupt is not used. */
  async refuseWhenInterrupted(outcome: ApprovalOutcome): Promise<void> {
    const { interrupted, terminal } = this.#context;
    if (!interrupted.aborted) return;
    if (outcome.status === 'approved') {
      terminal.say('It was approved at the same moment; the approval is not used.');
      await outcome.failed('interrupted before it ran').catch(() => undefined);
    } else if (outcome.status === 'cancelled') terminal.say('Withdrawn.');
    else terminal.say(escapeInvisible(outcome.text));
    throw interruption(interrupted, '');
  }

  /** A device that can be asked, as soon as there is one. */
  async whenDevice(agent: RemoteAgent): Promise<void> {
    const { interrupted, terminal, place } = this.#context;
    const ready = async (): Promise<boolean> => (await agent.devices.list()).some(isTrusted);
    if (await ready()) return;
    terminal.say(`Waiting for a device. In another terminal run: countersign pair${place.dirOption}`);
    const stopWatching = watchRelay(agent, terminal, place.dirOption);
    try {
      while (!(await ready())) await nextChange(agent, interrupted);
    } finally {
      stopWatching();
    }
  }

  async #outcome(agent: RemoteAgent): Promise<ApprovalOutcome> {
    const { interrupted: signal } = this.#context;
    if (this.#requestId !== undefined) {
      return (await agent.reopen(this.#requestId, { signal })) as ApprovalOutcome;
    }
    const onAsked = (requestId: string): void => {
      this.#requestId = requestId;
      void this.#tellWho(agent);
    };
    return agent.requestApproval(this.#request, { signal, onAsked });
  }

  async #tellWho(agent: RemoteAgent): Promise<void> {
    const { terminal } = this.#context;
    try {
      const [devices, items] = [await agent.devices.list(), await agent.pending()];
      const item = items.find(({ requestId }) => requestId === this.#requestId);
      const names = devices.filter(isTrusted).map(({ name }) => escapeToLine(name));
      if (item === undefined || names.length === 0 || this.decided) return;
      const left = inWords(item.expiresAt - item.createdAt);
      terminal.say(`Asked: ${escapeToLine(item.summary)}`);
      terminal.say(
        terminal.style(
          'dim',
          `Waiting for a decision on ${names.join(' or ')}. It expires in ${left}; Ctrl-C withdraws it.`,
        ),
      );
    } catch {
      // Only said for comfort; a lost daemon shows elsewhere.
    }
  }
}

export function isTrusted({ state }: AgentDevice): boolean {
  return state === 'trusted';
}

/** @throws CliError when interrupted. */
async function nextChange(agent: RemoteAgent, interrupted: AbortSignal): Promise<void> {
  if (interrupted.aborted) throw interruption(interrupted);
  const done = new AbortController();
  const changed = new Promise<void>((resolve) => {
    const finish = (): void => {
      unlisten();
      resolve();
    };
    const unlisten = agent.on('device', finish);
    // Looked at now and then too: a daemon that died tells nothing.
    void delay(2_000, undefined, { signal: done.signal }).then(finish, () => undefined);
    interrupted.addEventListener('abort', finish, { signal: done.signal });
  });
  await changed;
  done.abort();
}

/** Ends an interrupted command whose owner does not answer; its going withdraws the item too. */
async function tooLate(interrupted: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await delay(WITHDRAW_MS, undefined, { ref: false });
  throw interruption(interrupted);
}

function interruption(interrupted: AbortSignal, message = 'Interrupted.'): CliError {
  return new CliError(interrupted.reason as number, message);
}

/** What an outcome that is no approval means to a person, and what to do about it. */
export function advise(context: Context, outcome: ApprovalOutcome): number {
  const { terminal, place } = context;
  if (outcome.status === 'cancelled' && outcome.reason === 'no_device') {
    terminal.say(`Pair a device first: countersign pair${place.dirOption}`);
    terminal.say('No phone at hand? "countersign phone" is one in a terminal.');
  }
  return exitCodeOfOutcome(outcome);
}
