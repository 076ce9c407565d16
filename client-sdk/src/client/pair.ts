/**
 * Makes this device known to an agent through its pairing link (02 §5). Keys are stored before the relay is asked,
 * so that neither a crash nor a lost reply loses them. Must not know what comes after: the agent's person confirms
 * the code, and the first login of `openClient` finds out.
 */
import { CountersignError, PAIRING, toHex } from '@countersign/protocol';
import { signEd25519, windowOf } from '@countersign/protocol/auth';
import { titleLine } from '@countersign/protocol/blocks';
import {
  deriveIdentity,
  type IdentityKeys,
  NO_EXPIRY,
  type PairingOffer,
  pairingCode,
  parsePairing,
  sharedSecret,
} from '@countersign/protocol/e2e';
import { pairAtRelay } from '@countersign/protocol/link';
import type { Pairing, PairOptions } from '../api.js';
import { NO_PUSH, registrationFor } from '../push/registration.js';
import type { Storage } from '../storage/storage.js';
import { platformNumber } from './device-info.js';
import { explainPairing, isWorthRetrying } from './pair-errors.js';
import {
  listPairings,
  type PairingKeys,
  type PairingRecord,
  pendingKey,
  toPairing,
} from './pairing-record.js';
import { type ClientRuntime, sleep, systemRuntime } from './runtime.js';

/** Waits between tries after the network failed or the reply was lost. */
export const PAIR_RETRY_DELAYS_MS = [1000, 2000] as const;

/**
 * Pairs this device: resolves when the relay told the agent about it. Calling again with the same link, in the
 * window's lifetime, finishes what was begun and never makes a second device.
 *
 * @throws CountersignError `invalid_link`, `link_expired`, `pairing_closed` (used, closed at the agent),
 * `not_found` (another relay, or the agent is gone), `relay_binding` (not the relay of the link), `unsupported` (a
 * relay that knows no web devices), `rate_limited`, `unavailable` (not reachable), and what storage throws.
 */
export function pair(link: string, options: PairOptions): Promise<Pairing> {
  return pairWith(systemRuntime, link, options);
}

export async function pairWith(runtime: ClientRuntime, link: string, options: PairOptions): Promise<Pairing> {
  const offer = await parsePairing(link);
  const window = toHex(await windowOf(offer.token));
  const finished = await findFinished(options.storage, window);
  if (finished !== undefined) return toPairing(finished);
  const begun = await begin(runtime, offer, window, options);
  const identity = await identityOf(options.storage, begun);
  const relayBound = await askRelay(runtime, offer, identity, begun, options);
  return toPairing(await finish(runtime, options.storage, begun, relayBound));
}

function findFinished(storage: Storage, window: string): Promise<PairingRecord | undefined> {
  return storage.transaction(async (tx) => (await listPairings(tx)).find((one) => one.window === window));
}

/** The stored beginning of an earlier try with this link, or a new seed, stored. */
async function begin(
  runtime: ClientRuntime,
  offer: PairingOffer,
  window: string,
  options: PairOptions,
): Promise<PairingKeys> {
  const fresh = await newKeys(runtime, offer, window, options);
  return options.storage.transaction(async (tx) => {
    for (const [key, value] of await tx.list('pairings', pendingKey(''))) {
      const age = runtime.now() - (value as PairingKeys).startedAt;
      if (age > PAIRING.clientPairedBelievedMs && key !== pendingKey(window))
        await tx.delete('pairings', key);
    }
    const earlier = (await tx.get('pairings', pendingKey(window))) as PairingKeys | undefined;
    if (earlier !== undefined) return earlier;
    await tx.put('pairings', pendingKey(window), fresh);
    return fresh;
  });
}

async function newKeys(
  runtime: ClientRuntime,
  offer: PairingOffer,
  window: string,
  options: PairOptions,
): Promise<PairingKeys> {
  const platform = options.platform ?? 'web';
  const push = options.push === undefined ? NO_PUSH : registrationFor(platform, options.push);
  const seed = runtime.randomBytes(32);
  const identity = await deriveIdentity(seed);
  const keys: PairingKeys = {
    v: 1,
    namespaceId: toHex(offer.namespaceId),
    seed: await options.storage.protect(seed),
    agentEd25519: offer.agentEd25519,
    agentX25519: offer.agentX25519,
    agentName: titleLine(offer.name === '' ? 'Agent' : offer.name),
    relayUrl: offer.relayUrl,
    binding: offer.relayBinding ? 'required' : 'unless_original',
    deviceId: toHex(identity.ed25519Public),
    deviceName: options.deviceName,
    platform,
    ...push,
    window,
    code: await codeOf(offer, identity),
    startedAt: runtime.now(),
    supports: [...offer.supports],
  };
  seed.fill(0);
  return keys;
}

async function codeOf(offer: PairingOffer, identity: IdentityKeys): Promise<string> {
  const shared = await sharedSecret(identity.x25519Secret, offer.agentX25519).catch(() => {
    throw new CountersignError('invalid_link', 'This is not a usable pairing link: its agent key is unsound');
  });
  const code = await pairingCode({
    shared,
    namespaceId: offer.namespaceId,
    agentEd25519: offer.agentEd25519,
    deviceEd25519: identity.ed25519Public,
    agentX25519: offer.agentX25519,
    deviceX25519: identity.x25519Public,
    token: offer.token,
  });
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

async function identityOf(storage: Storage, keys: PairingKeys): Promise<IdentityKeys> {
  const seed = await storage.reveal(keys.seed);
  const identity = await deriveIdentity(seed);
  seed.fill(0);
  return identity;
}

async function askRelay(
  runtime: ClientRuntime,
  offer: PairingOffer,
  identity: IdentityKeys,
  keys: PairingKeys,
  options: PairOptions,
): Promise<boolean> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { relayBound } = await pairAtRelay({
        relayUrl: offer.relayUrl,
        binding: keys.binding,
        namespaceId: offer.namespaceId,
        deviceEd25519: identity.ed25519Public,
        deviceX25519: identity.x25519Public,
        pairingToken: offer.token,
        platform: platformNumber(keys.platform),
        sign: (message) => signEd25519(message, identity.ed25519Secret),
        deviceToken: keys.deviceToken,
        app: keys.app,
        ca: options.ca,
        signal: options.signal,
      });
      return relayBound;
    } catch (error) {
      const delay = PAIR_RETRY_DELAYS_MS[attempt];
      options.signal?.throwIfAborted();
      if (delay === undefined || !isWorthRetrying(error)) {
        throw explainPairing(error, { platform: keys.platform, expired: isExpired(runtime, offer) });
      }
      await sleep(runtime, delay, options.signal);
    }
  }
}

/** The relay judges; this device's clock, which may be wrong, only chooses the words. */
function isExpired(runtime: ClientRuntime, offer: PairingOffer): boolean {
  return offer.exp !== NO_EXPIRY && runtime.now() > offer.exp * 1000;
}

/** A second pairing with an agent stands beside the first, which keeps working: no link can take it away. */
async function finish(
  runtime: ClientRuntime,
  storage: Storage,
  keys: PairingKeys,
  relayBound: boolean,
): Promise<PairingRecord> {
  return storage.transaction(async (tx) => {
    const taken = (await listPairings(tx)).some((record) => record.id === keys.namespaceId);
    const record: PairingRecord = {
      ...keys,
      id: taken ? `${keys.namespaceId}.${keys.deviceId.slice(0, 8)}` : keys.namespaceId,
      binding: relayBound ? 'required' : keys.binding,
      pairedAt: runtime.now(),
      admitted: false,
    };
    await tx.put('pairings', record.id, record);
    await tx.delete('pairings', pendingKey(keys.window));
    return record;
  });
}
