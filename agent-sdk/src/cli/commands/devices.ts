/** `devices`, `rename`, `revoke`. Must not know items. */
import { shortId } from '@countersign/protocol';
import { escapeToLine } from '@countersign/protocol/blocks';
import type { AgentDevice } from '../../api.js';
import type { RemoteAgent } from '../../daemon/index.js';
import { inWords } from '../duration.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { confirmed } from '../prompt.js';
import { table } from '../table.js';
import type { Context } from './context.js';

/** How a pairing that is not complete stands. */
const STATE_WORDS: Readonly<Record<AgentDevice['state'], string>> = {
  paired: 'waits for its code',
  confirmed: 'confirmed, not yet known to the relay',
  authorized: 'confirmed, not yet heard from',
  trusted: 'paired',
};

/** Shorter beginnings of an id are too easily the wrong device's. */
const MIN_PREFIX_CHARS = 4;

export async function devicesCommand({ json }: { json?: boolean }, context: Context): Promise<number> {
  const devices = await context.withAgent((agent) => agent.devices.list());
  const { terminal, place } = context;
  if (json) terminal.json({ devices });
  else if (devices.length === 0) {
    terminal.out('No device is paired.');
    terminal.say(`Pair one: countersign pair${place.dirOption}`);
  } else for (const line of deviceTable(devices)) terminal.out(line);
  return EXIT.done;
}

export function deviceTable(devices: readonly AgentDevice[]): string[] {
  const header = ['NAME', 'PLATFORM', 'STATE', 'CODE', 'ONLINE', 'LAST SEEN', 'ID'];
  return table(header, devices.map(deviceRow));
}

function deviceRow({ deviceId, name, platform, state, verified, online, lastSeenAt }: AgentDevice): string[] {
  const code = state === 'paired' ? '-' : verified ? 'compared' : 'unverified';
  const seen = lastSeenAt === undefined ? '-' : `${inWords(Date.now() - lastSeenAt)} ago`;
  return [
    escapeToLine(name),
    platform,
    STATE_WORDS[state],
    code,
    online ? 'yes' : 'no',
    seen,
    shortId(deviceId),
  ];
}

export async function renameCommand(named: string, newName: string, context: Context): Promise<number> {
  return context.withAgent(async (agent) => {
    const device = await findDevice(agent, named);
    await agent.devices.rename(device.deviceId, newName);
    context.terminal.out(`${escapeToLine(device.name)} is now ${escapeToLine(newName)}.`);
    return EXIT.done;
  });
}

export async function revokeCommand(
  named: string,
  { yes }: { yes?: boolean },
  context: Context,
): Promise<number> {
  const { io, terminal, interrupted } = context;
  return context.withAgent(async (agent) => {
    const device = await findDevice(agent, named);
    const name = escapeToLine(device.name);
    if (!yes && io.stdin.isTTY !== true)
      throw usageError(`To revoke ${name} without being asked, add --yes.`);
    if (
      !yes &&
      !(await confirmed(
        terminal,
        `Revoke ${name} (${shortId(device.deviceId)})? It can decide nothing any more.`,
      ))
    ) {
      throw new CliError(
        interrupted.aborted ? (interrupted.reason as number) : EXIT.rejected,
        'Nothing was changed.',
      );
    }
    await agent.devices.revoke(device.deviceId);
    terminal.out(`Revoked ${name}.`);
    return EXIT.done;
  });
}

/** By its whole name, or the beginning of its id. @throws CliError when none or several match. */
async function findDevice(agent: RemoteAgent, named: string): Promise<AgentDevice> {
  const devices = await agent.devices.list();
  const prefix = named.toLowerCase();
  const matching = devices.filter(
    ({ deviceId, name }) =>
      name === named || (prefix.length >= MIN_PREFIX_CHARS && deviceId.startsWith(prefix)),
  );
  const [device, other] = matching;
  if (device !== undefined && other === undefined) return device;
  const known = devices
    .map(({ name, deviceId }) => `${escapeToLine(name)} (${shortId(deviceId)})`)
    .join(', ');
  const what =
    device === undefined ? 'is no device of this agent' : 'names more than one device; give its id';
  throw usageError(`"${escapeToLine(named)}" ${what}. Devices: ${known || 'none'}.`);
}
