/** `pair`: shows a link, waits for a device, takes the code it shows. Must not know how pairing works. */
import type { PairingSession } from '../../api.js';
import type { RemoteAgent } from '../../daemon/index.js';
import { countdown } from '../duration.js';
import { CliError, EXIT } from '../exit-codes.js';
import { whenRelay } from '../relay-watch.js';
import { StatusLine } from '../status-line.js';
import { Admission } from './admission.js';
import type { Context } from './context.js';
import { type LinkOptions, showLink } from './pair-link.js';

export interface PairCommandOptions extends LinkOptions {
  /** Milliseconds. */
  ttl?: number;
  /** Accept the first device without its code. */
  yes?: boolean;
}

export async function pairCommand(options: PairCommandOptions, context: Context): Promise<number> {
  return context.withAgent(async (agent) => {
    await whenRelay(agent, context);
    const session = await agent.startPairing(options.ttl === undefined ? {} : { ttlMs: options.ttl });
    const ending = (): void => void session.stop().catch(() => undefined);
    context.interrupted.addEventListener('abort', ending, { once: true });
    try {
      await showLink(session, options, context);
      return await admit(agent, session, options, context);
    } finally {
      context.interrupted.removeEventListener('abort', ending);
    }
  });
}

async function admit(
  agent: RemoteAgent,
  session: PairingSession,
  options: PairCommandOptions,
  context: Context,
): Promise<number> {
  const { terminal, interrupted } = context;
  const line = new StatusLine(
    terminal,
    () => `Waiting for a device … ${countdown(session.expiresAt - Date.now())} left`,
  );
  try {
    for await (const { deviceId, platform, refused } of session.devices()) {
      line.stop();
      if (refused) {
        terminal.say(terminal.style('yellow', 'A second device tried to use this link and was refused.'));
        continue;
      }
      const admitted = new Admission(agent, session, context, { deviceId, platform });
      return options.yes ? await admitted.withoutCode() : await admitted.byCode();
    }
  } finally {
    line.stop();
  }
  if (interrupted.aborted) throw new CliError(interrupted.reason as number, 'Interrupted; the link is void.');
  if (agent.lost)
    throw new CliError(EXIT.failed, 'The daemon has ended; the link is void. Run the command again.');
  throw new CliError(
    EXIT.expired,
    `Nobody used the link in time. For a new one: countersign pair${context.place.dirOption}`,
  );
}
