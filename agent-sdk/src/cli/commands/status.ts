/** `status`: relay, clock, devices, pending items. Must not change anything. */
import { escapeInvisible, escapeToLine } from '@countersign/protocol/blocks';
import type { AgentDevice, PendingItem } from '../../api.js';
import type { RemoteAgent } from '../../daemon/index.js';
import { explain, NOTABLE_SKEW_MS } from '../advice.js';
import { inWords } from '../duration.js';
import { EXIT } from '../exit-codes.js';
import { clockAheadMs } from '../relay-clock.js';
import { inForce, readSettings } from '../settings.js';
import type { Context } from './context.js';
import { deviceTable } from './devices.js';

/** A daemon that has just started gets so long to connect before it is told as not connected. */
const CONNECT_MS = 3_000;

interface Status {
  readonly relayUrl: string;
  readonly connected: boolean;
  readonly problem: { code: string; message: string } | undefined;
  /** Of this machine before the relay; undefined when the relay could not be asked. */
  readonly clockAheadMs: number | undefined;
  readonly devices: readonly AgentDevice[];
  readonly pending: readonly PendingItem[];
}

export async function statusCommand({ json }: { json?: boolean }, context: Context): Promise<number> {
  return context.withAgent(async (agent) => {
    const status = await look(agent, context);
    if (json) context.terminal.json({ dir: context.place.dir, owner: agent.owner, ...status });
    else for (const line of lines(status, agent, context)) context.terminal.out(line);
    return EXIT.done;
  });
}

async function look(agent: RemoteAgent, { place }: Context): Promise<Status> {
  const saved = readSettings(place.dir);
  const relayUrl = agent.owner.relayUrl ?? inForce(saved).relayUrl;
  const settled = agent.whenConnected({ timeoutMs: CONNECT_MS }).catch(() => undefined);
  const clock = clockAheadMs(relayUrl, saved.ca, Date.now);
  const [devices, pending] = [await agent.devices.list(), await agent.pending()];
  const ahead = await clock;
  // A relay that does not answer at all will not connect in the time left either.
  if (ahead !== undefined) await settled;
  return { relayUrl, ...(await agent.status()), clockAheadMs: ahead, devices, pending };
}

function lines(status: Status, { owner }: RemoteAgent, { terminal, place }: Context): string[] {
  const { relayUrl, connected, problem, devices, pending } = status;
  const state = connected
    ? terminal.styleOut('green', 'connected')
    : terminal.styleOut('yellow', 'not connected');
  const why = problem === undefined ? [] : explain(problem.code, problem.message, place.dirOption);
  return [
    `Relay      ${relayUrl}  ${state}`,
    ...why.map((line) => `           ${line}`),
    `Clock      ${clockWords(status.clockAheadMs)}`,
    `Directory  ${escapeToLine(place.dir)}, served by ${escapeToLine(owner.program)} (process ${owner.pid})`,
    `Devices    ${devices.length === 0 ? `none; pair one: countersign pair${place.dirOption}` : devices.length}`,
    ...(devices.length === 0 ? [] : deviceTable(devices).map((line) => `  ${line}`)),
    `Pending    ${pending.length === 0 ? 'nothing' : pending.length}`,
    ...pending.flatMap((item) => [itemLine(item), ...pushLines(item)]).map((line) => `  ${line}`),
  ];
}

function clockWords(aheadMs: number | undefined): string {
  if (aheadMs === undefined) return 'unknown; the relay could not be asked';
  if (Math.abs(aheadMs) < NOTABLE_SKEW_MS) return 'agrees with the relay';
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `${inWords(aheadMs)} ${way} the relay. Set this machine's clock, unless it is the relay's that is wrong.`;
}

/** So that a push nobody got is never silent. */
function pushLines({ pushes = [] }: PendingItem): string[] {
  return pushes.map(({ text }) => `  ${escapeToLine(text)}`);
}

function itemLine({ requestId, toolName, kind, summary, expiresAt }: PendingItem): string {
  const what = escapeToLine(toolName ?? kind);
  return escapeInvisible(
    `${requestId}  ${what}: ${escapeToLine(summary)}  (expires in ${inWords(expiresAt - Date.now())})`,
  );
}
