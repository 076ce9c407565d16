/** The demo with a person: pair once, then decide about one real command. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, type ApprovalOutcome, openAgent, serveAgentSocket } from '@countersign/agent-sdk';
import { quoteArgv } from '@countersign/agent-sdk/describe';
import type { DemoOptions } from './options.js';
import { pairAPhone } from './pair-a-phone.js';
import { type DemoRelay, startDemoRelay } from './relay.js';
import { type CommandResult, runCommand } from './run-command.js';

type Say = (line: string) => void;

export async function playInteractive(stateDir: string, options: DemoOptions, say: Say): Promise<number> {
  const relay = await startDemoRelay(join(stateDir, 'relay.db'), options.port, say, options.tls);
  try {
    say(
      `Relay    ${relay.url}, state in .countersign/ (--reset forgets it). It carries what it cannot read.`,
    );
    const dir = join(stateDir, 'agent');
    const { url: relayUrl, invite, ca } = relay;
    const agent = await openAgent({ relayUrl, dir, name: 'demo agent', invite, ca });
    // Whoever owns a directory serves it: `countersign --dir .countersign/agent status` works beside the demo.
    const socket = await serveAgentSocket(agent, dir, { program: 'the demo', relayUrl: relay.url });
    try {
      return await askOnce(agent, stateDir, relay, options, say);
    } finally {
      await socket.closeWithAgent();
    }
  } finally {
    await relay.close();
  }
}

async function askOnce(
  agent: Agent,
  stateDir: string,
  relay: DemoRelay,
  options: DemoOptions,
  say: Say,
): Promise<number> {
  const interrupted = interruption();
  const place = join(stateDir, 'paired-at');
  const device = (await agent.devices.list()).find((d) => d.state === 'trusted');
  const relayUrl = relay.url;
  if (device === undefined) {
    if (!(await pairAPhone(agent, relay.reachesPhones, say, interrupted))) return 1;
    await writeFile(place, relayUrl, { mode: 0o600 });
  } else {
    say(`Device   ${device.name}, paired earlier.`);
    await warnIfMoved(place, relayUrl, say);
  }
  say(`Asking   may this run here?  ${quoteArgv(options.argv)}`);
  say(
    '         Decide on the device: in the app, or npx --no countersign phone watch, if that is a terminal.',
  );
  say('         Ctrl-C withdraws the question.\n');
  const { outcome, result } = await agent.run(
    { toolName: 'run_command', arguments: { argv: options.argv, cwd: process.cwd() } },
    (args) => runCommand((args as { argv: string[] }).argv),
    { signal: interrupted },
  );
  report(outcome, result, say);
  return 0;
}

function report(outcome: ApprovalOutcome, result: CommandResult | undefined, say: Say): void {
  if (outcome.status === 'approved' && result !== undefined) {
    say(`Approved by ${outcome.by.name}. It ran and printed:\n\n${result.output.trimEnd()}\n`);
    say(result.code === 0 ? 'It ended well.' : `It ended with exit code ${result.code}.`);
  } else {
    say(`Nothing ran (${outcome.status}). The model would read: ${outcome.text}`);
  }
}

/** Devices look for the relay where they were paired. */
async function warnIfMoved(place: string, relayUrl: string, say: Say): Promise<void> {
  const pairedAt = await readFile(place, 'utf8').catch(() => relayUrl);
  if (pairedAt === relayUrl) return;
  say(`         It looks for the relay at ${pairedAt}, but this time it is ${relayUrl}:`);
  say('         free that port and start again, or pair anew with --reset.');
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.once('SIGTERM', () => controller.abort());
  return controller.signal;
}
