/** What a pairing link offers, and the checks every form of it passes (02 §5). Must not know the forms. */
import { isSoundEd25519Key, namespaceIdOf } from '../auth/index.js';
import { bytesEqual, CountersignError, parseUrl } from '../frames/index.js';

export interface PairingOffer {
  /** `ws(s)://host[:port]`. */
  readonly relayUrl: string;
  readonly namespaceId: Uint8Array;
  readonly agentEd25519: Uint8Array;
  /** Of this pairing window. */
  readonly agentX25519: Uint8Array;
  readonly token: Uint8Array;
  /** The agent's name; empty when the link has none. */
  readonly name: string;
  /** Unix seconds; {@link NO_EXPIRY} when the link has none. */
  readonly exp: number;
  /** Names of 03 §1. */
  readonly supports: readonly string[];
  /** The relay's challenge must be bound to its authority (01 §3). */
  readonly relayBinding: boolean;
}

/** `exp` of a link that states none, as those of original agents: the end of what fits a u32. */
export const NO_EXPIRY = 0xffff_ffff;

export function invalidLink(message: string): CountersignError {
  return new CountersignError('invalid_link', `This is not a usable pairing link: ${message}`);
}

/**
 * `ws(s)://host[:port]` of a relay URL in canonical spelling. A path other than `/` and `/v1/ws`, credentials, query
 * and fragment are refused. @throws CountersignError `invalid_link`
 */
export function relayOrigin(relayUrl: string): string {
  const url = parseUrl(relayUrl);
  if (url === undefined || (url.protocol !== 'wss:' && url.protocol !== 'ws:')) {
    throw invalidLink('its relay address does not begin with wss:// or ws://');
  }
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!bare || !['', '/', '/v1/ws'].includes(url.pathname)) {
    throw invalidLink('its relay address has more than a host and a port');
  }
  return `${url.protocol}//${url.host}`;
}

/** The offer, if its keys are sound and its namespace belongs to them. @throws CountersignError `invalid_link` */
export async function checkedOffer(offer: PairingOffer): Promise<PairingOffer> {
  if (!isSoundEd25519Key(offer.agentEd25519)) throw invalidLink('its agent key is unsound');
  if (!bytesEqual(offer.namespaceId, await namespaceIdOf(offer.agentEd25519))) {
    throw invalidLink('its namespace does not belong to its agent key');
  }
  return { ...offer, relayUrl: relayOrigin(offer.relayUrl) };
}
