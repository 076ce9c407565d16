/** The JSON form of a pairing offer, which original apps and agents use (02 §5). Must not know the compact form. */
import { fromHex, toHex, WIRE } from '../frames/index.js';
import { type Json, JsonError, parseStrict } from '../json/index.js';
import { invalidLink, NO_EXPIRY, type PairingOffer, relayOrigin } from './pairing-offer.js';

/** @throws CountersignError `invalid_link` for a relay URL that is more than scheme, host and port. */
export function encodeQrJson(offer: PairingOffer): string {
  return JSON.stringify({
    v: 1,
    relay_url: relayOrigin(offer.relayUrl),
    namespace_id: toHex(offer.namespaceId),
    agent_ed25519_pub: toHex(offer.agentEd25519),
    agent_x25519_pub: toHex(offer.agentX25519),
    pairing_token: toHex(offer.token),
    ...(offer.name === '' ? {} : { name: offer.name }),
    ...(offer.exp === NO_EXPIRY ? {} : { exp: offer.exp }),
    ...(offer.supports.length === 0 ? {} : { supports: offer.supports }),
    ...(offer.relayBinding ? { rb: 1 } : {}),
  });
}

function parseObject(text: string): { [key: string]: Json } {
  try {
    const value = parseStrict(text, { numbers: 'any' });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  throw invalidLink('its text is damaged');
}

function key(value: Json | undefined, bytes: number, name: string): Uint8Array {
  const key = fromHex(value, bytes);
  if (key === undefined) throw invalidLink(`${name} is missing or not ${bytes * 2} hex characters`);
  return key;
}

function expiry(value: Json | undefined): number {
  if (value === undefined || value === null) return NO_EXPIRY;
  if (typeof value !== 'number' || !(value >= 0)) throw invalidLink('exp is not a time');
  return Math.min(Math.floor(value), NO_EXPIRY);
}

/** The offer of the JSON form, not yet checked. Unknown keys are ignored. @throws CountersignError `invalid_link` */
export function decodeQrJson(text: string): PairingOffer {
  const json = parseObject(text);
  if (json.v !== 1) throw invalidLink('it is of a newer kind; update this app');
  if (typeof json.relay_url !== 'string') throw invalidLink('it names no relay');
  const supports = Array.isArray(json.supports) ? json.supports : [];
  return {
    relayUrl: json.relay_url,
    namespaceId: key(json.namespace_id, WIRE.namespaceIdBytes, 'namespace_id'),
    agentEd25519: key(json.agent_ed25519_pub, WIRE.ed25519PublicBytes, 'agent_ed25519_pub'),
    agentX25519: key(json.agent_x25519_pub, WIRE.x25519PublicBytes, 'agent_x25519_pub'),
    token: key(json.pairing_token, WIRE.pairingTokenBytes, 'pairing_token'),
    name: typeof json.name === 'string' ? json.name : '',
    exp: expiry(json.exp),
    supports: supports.filter((name) => typeof name === 'string'),
    relayBinding: json.rb === 1,
  };
}
