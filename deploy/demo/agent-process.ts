/** A scripted agent in a process of its own, so that the demo can kill it as a crash would. */
import {
  type Agent,
  type ApprovalOutcome,
  type ApprovalRequest,
  openAgent,
  type PairingSession,
} from '@countersign/agent-sdk';
import { serveParent } from './child.js';
import { type CommandResult, runCommand } from './run-command.js';

export interface AgentSetup {
  readonly relayUrl: string;
  readonly dir: string;
  readonly reopenGraceMs: number;
}

export type Told = { readonly status: string; readonly text: string; readonly output?: string };

const setup = JSON.parse(process.argv[2] ?? '{}') as AgentSetup;
let opened: Promise<Agent> | undefined;
let window: PairingSession | undefined;
const asked = new Map<string, Promise<{ outcome: ApprovalOutcome; result?: CommandResult }>>();

function agent(): Promise<Agent> {
  opened ??= openAgent({ ...setup, name: 'demo agent' });
  return opened;
}

export const agentCommands = {
  async startPairing(): Promise<string> {
    window = await (await agent()).startPairing();
    return window.link;
  },
  async confirm(argument: { deviceId: string; code: string }): Promise<string> {
    if (window === undefined) throw new Error('no pairing window');
    for await (const device of window.devices()) if (device.deviceId === argument.deviceId) break;
    return window.confirm(argument.deviceId, argument.code);
  },
  async whenTrusted(deviceId: string): Promise<void> {
    const a = await agent();
    await new Promise<void>((resolve) => {
      const look = async (): Promise<void> => {
        const device = (await a.devices.list()).find((d) => d.deviceId === deviceId);
        if (device?.state !== 'trusted') return;
        stop();
        resolve();
      };
      const stop = a.on('device', () => void look());
      void look();
    });
  },
  /** Asks and says the request's id; the command runs only if approved. {@link outcome} waits for the end. */
  async ask(request: { argv: string[]; options: Partial<ApprovalRequest> }): Promise<string> {
    const a = await agent();
    return new Promise((resolve, reject) => {
      const ended = a.run(
        { toolName: 'run_command', arguments: { argv: request.argv }, ...request.options },
        (args) => runCommand((args as { argv: string[] }).argv),
        {
          onAsked: (requestId) => {
            asked.set(requestId, ended);
            resolve(requestId);
          },
        },
      );
      ended.catch(reject);
    });
  },
  async outcome(requestId: string): Promise<Told> {
    const ended = await asked.get(requestId);
    if (ended === undefined) throw new Error('nothing was asked under this id');
    const { outcome, result } = ended;
    return { status: outcome.status, text: outcome.text, ...(result && { output: result.output }) };
  },
  /** The outcome of an item that an earlier process left behind, once nobody came back for it. */
  async outcomeOfLeft(requestId: string): Promise<Told> {
    const a = await agent();
    await new Promise<void>((resolve) => {
      a.on('ended', (item) => item.requestId === requestId && resolve());
    });
    const outcome = await a.reopen(requestId);
    return { status: outcome.status, text: outcome.text };
  },
  async close(): Promise<void> {
    await (await agent()).close();
  },
};

serveParent(agentCommands);
