/** Tells a waiting person why the relay is not reached, once per reason, and when it is. Must not know what is waited for. */
import type { RemoteAgent } from '../daemon/index.js';
import { explain } from './advice.js';
import type { Context } from './commands/context.js';
import { CliError, EXIT } from './exit-codes.js';
import type { Terminal } from './io.js';

/** A connection that is just being made is not worth a word. */
const FIRST_LOOK_MS = 700;
const LOOK_EVERY_MS = 1_000;

/** Says nothing while all is well. The result stops it. */
export function watchRelay(agent: RemoteAgent, terminal: Terminal, dirOption: string): () => void {
  let told: string | undefined;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const look = async (): Promise<void> => {
    const { connected, problem } = await agent.status();
    if (stopped) return;
    if (connected && told !== undefined) terminal.say(terminal.style('green', 'Connected to the relay.'));
    if (connected) told = undefined;
    else if (problem !== undefined && problem.code !== 'connecting' && problem.code !== told) {
      told = problem.code;
      for (const line of explain(problem.code, problem.message, dirOption))
        terminal.say(terminal.style('yellow', line));
      terminal.say('Waiting for the relay; Ctrl-C ends this.');
    }
  };
  const again = (ms: number): void => {
    // A lost daemon ends the command that watches, not the watch.
    timer = setTimeout(
      () =>
        void look().then(
          () => stopped || again(LOOK_EVERY_MS),
          () => undefined,
        ),
      ms,
    );
    timer.unref();
  };
  again(FIRST_LOOK_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Problems that waiting does not mend: somebody has to do something first. */
const HOPELESS = new Set([
  'unauthorized',
  'relay_binding',
  'tls',
  'invalid_signature',
  'bad_request',
  'protocol',
]);

/** Resolves once connected, however long it takes. @throws CliError when that cannot be, or when interrupted. */
export async function whenRelay(
  agent: RemoteAgent,
  { terminal, place, interrupted }: Context,
): Promise<void> {
  const stopWatching = watchRelay(agent, terminal, place.dirOption);
  try {
    for (;;) {
      const { connected, problem } = await agent.status();
      if (connected) return;
      if (interrupted.aborted) throw new CliError(interrupted.reason as number, 'Interrupted.');
      if (problem !== undefined && HOPELESS.has(problem.code)) {
        throw new CliError(EXIT.failed, explain(problem.code, problem.message, place.dirOption).join('\n'));
      }
      await agent.whenConnected({ timeoutMs: ASK_EVERY_MS }).catch(() => undefined);
    }
  } finally {
    stopWatching();
  }
}

const ASK_EVERY_MS = 250;
