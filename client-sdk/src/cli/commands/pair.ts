/** `pair`, `pairings`, `unpair`. Must not know items. */
import { hostname } from 'node:os';
import { escapeToLine } from '@countersign/protocol/blocks';
import type { Pairing } from '../../api.js';
import { pair } from '../../client/pair.js';
import { listPairings, toPairing } from '../../client/pairing-record.js';
import { type GlobalOptions, readCa, whenInbox, withClient, withStorage } from '../device.js';
import { CliError, EXIT } from '../exit-codes.js';
import { asTyped, type Io, type Output } from '../io.js';
import { statusJson } from '../item-json.js';

export interface PairCommandOptions extends GlobalOptions {
  name?: string;
  wait?: number;
}

export async function pairCommand(
  link: string,
  options: PairCommandOptions,
  io: Io,
  output: Output,
): Promise<number> {
  const ca = await readCa(options);
  const pairing = await withStorage(options, io, (storage) =>
    pair(link, { storage, deviceName: options.name ?? hostname(), ca, signal: io.interrupted }),
  );
  output.result(
    { event: 'paired', pairing: pairingJson(pairing) },
    `Paired with ${pairing.agentName} at ${pairing.relayUrl}.\nType this code at the agent: ${pairing.code}`,
  );
  if (options.wait === undefined) {
    output.hint(`Then run: ${asTyped(io.env)} watch`);
    return EXIT.done;
  }
  return waitUntilAdmitted(pairing, options.wait * 1000, options, io, output);
}

async function waitUntilAdmitted(
  pairing: Pairing,
  ms: number,
  options: GlobalOptions,
  io: Io,
  output: Output,
): Promise<number> {
  return withClient(options, io, async (client) => {
    const admitted = await whenInbox(
      client,
      (inbox) => inbox.pairings.some(({ id, connection }) => id === pairing.id && connection === 'online'),
      ms,
      io.interrupted,
    );
    const event = admitted ? 'confirmed' : 'waiting';
    const text = admitted ? 'Confirmed.' : 'Not confirmed yet. The code stays good: confirm it at the agent.';
    output.result({ event, pairing: pairingJson(pairing) }, text);
    return admitted ? EXIT.done : EXIT.notConfirmed;
  });
}

export async function pairingsCommand(
  options: GlobalOptions & { online?: boolean },
  io: Io,
  output: Output,
): Promise<number> {
  const pairings = await withStorage(options, io, (storage) =>
    storage.transaction(async (tx) => (await listPairings(tx)).map(toPairing)),
  );
  const rows = pairings.map(
    (one) => `${one.id.slice(0, 16)}  ${escapeToLine(one.agentName)}  ${one.relayUrl}  code ${one.code}`,
  );
  const none =
    'No pairing. Get a link at the agent ("countersign pair"), then run: countersign-phone pair LINK';
  output.result({ pairings: pairings.map(pairingJson) }, rows.length === 0 ? none : rows.join('\n'));
  return EXIT.done;
}

export async function unpairCommand(
  prefix: string,
  options: GlobalOptions,
  io: Io,
  output: Output,
): Promise<number> {
  return withClient(options, io, async (client) => {
    const matching = (await client.pairings.list()).filter(({ id }) => id.startsWith(prefix.toLowerCase()));
    const exact = matching.find(({ id }) => id === prefix.toLowerCase());
    const chosen = exact ?? (matching.length === 1 ? matching[0] : undefined);
    if (chosen === undefined) throw noSuchPairing(prefix, matching.length);
    const isChosen = ({ id }: { id: string }) => id === chosen.id;
    // A logout needs the connection; without one the keys go all the same.
    await whenInbox(
      client,
      (inbox) => !inbox.pairings.some((one) => isChosen(one) && one.connection === 'connecting'),
      LOGIN_WAIT_MS,
      io.interrupted,
    );
    const [status] = statusJson({
      ...client.inbox.get(),
      pairings: client.inbox.get().pairings.filter(isChosen),
    });
    await client.pairings.unpair(chosen.id);
    const told = status?.connection === 'online';
    const text = `Removed the pairing with ${chosen.agentName}.${told ? '' : ' The agent could not be told: revoke this device there too.'}`;
    output.result({ event: 'unpaired', pairing: pairingJson(chosen), agent_told: told }, text);
    return EXIT.done;
  });
}

/** How long `unpair` waits for a connection to say goodbye on. */
const LOGIN_WAIT_MS = 5_000;

function noSuchPairing(prefix: string, matches: number): CliError {
  if (matches > 1)
    return new CliError(EXIT.usage, 'ambiguous', `"${prefix}" is the beginning of ${matches} pairings.`);
  return new CliError(EXIT.notFound, 'not_paired', 'No such pairing. Run "pairings" to see them.');
}

function pairingJson(pairing: Pairing): Record<string, unknown> {
  return {
    id: pairing.id,
    agent: pairing.agentName,
    relay_url: pairing.relayUrl,
    device_id: pairing.deviceId,
    code: pairing.code,
    paired_at: pairing.pairedAt,
  };
}
