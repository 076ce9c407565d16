/**
 * The compact pairing link `<appUrl>#p=<base64url>` (02 §5), small enough for a QR in a terminal.
 * Must not know windows, codes or how a link is shown.
 */
import { namespaceIdOf } from '../auth/index.js';
import {
  CountersignError,
  concatBytes,
  FEATURES,
  PAIRING,
  parseUrl,
  RELAY_BINDING_BIT,
  utf8,
  WIRE,
} from '../frames/index.js';
import { fromBase64Url, toBase64Url } from './base64url.js';
import { invalidLink, type PairingOffer, relayOrigin } from './pairing-offer.js';

const FORMAT = 0x01;
const U32_MAX = 0xffff_ffff;

function featureBits(offer: PairingOffer): number {
  let bits = offer.relayBinding ? 2 ** RELAY_BINDING_BIT : 0;
  FEATURES.forEach((feature, bit) => {
    if (offer.supports.includes(feature)) bits += 2 ** bit;
  });
  return bits;
}

const hasBit = (bits: number, bit: number) => ((bits >>> bit) & 1) === 1;

function u32(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > U32_MAX) throw refused('exp is no 32-bit time');
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function lengthPrefixed(text: string, what: string): Uint8Array {
  const bytes = utf8(text);
  if (bytes.length > PAIRING.maxLinkStringBytes) throw refused(`${what} is longer than 255 bytes`);
  return concatBytes(Uint8Array.of(bytes.length), bytes);
}

function fixed(bytes: Uint8Array, length: number, what: string): Uint8Array {
  if (bytes.length !== length) throw refused(`${what} must be ${length} bytes`);
  return bytes;
}

function refused(what: string): CountersignError {
  return new CountersignError('invalid_request', `No pairing link: ${what}`);
}

/** The value of `p`. @throws CountersignError as {@link encodeLink} */
export function encodeCompact(offer: PairingOffer): string {
  const bytes = concatBytes(
    Uint8Array.of(FORMAT),
    fixed(offer.agentEd25519, WIRE.ed25519PublicBytes, 'agentEd25519'),
    fixed(offer.agentX25519, WIRE.x25519PublicBytes, 'agentX25519'),
    fixed(offer.token, WIRE.pairingTokenBytes, 'token'),
    u32(offer.exp),
    u32(featureBits(offer)),
    lengthPrefixed(relayOrigin(offer.relayUrl), 'relayUrl'),
    lengthPrefixed(offer.name, 'name'),
  );
  return toBase64Url(bytes);
}

/** `<relay's http(s) origin>/app/`: where a relay serves the app. */
export function defaultAppUrl(relayUrl: string): string {
  return `${relayOrigin(relayUrl).replace(/^ws/, 'http')}/app/`;
}

/**
 * The link of an offer; a fragment in `appUrl` gives way to it. Features without a bit are left out.
 * @throws CountersignError `invalid_request` for members that do not fit (u8 lengths, u32 time, 32-byte keys) or an
 * `appUrl` that is not http(s), `invalid_link` for a relay URL that is more than scheme, host and port.
 */
export function encodeLink(offer: PairingOffer, appUrl?: string): string {
  const text = appUrl ?? defaultAppUrl(offer.relayUrl);
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw refused('appUrl must be an http(s) URL');
  url.hash = `p=${encodeCompact(offer)}`;
  return url.href;
}

/** Reads the bytes of a compact link in order; every method fails on too few. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    const part = this.#bytes.slice(this.#at, this.#at + length);
    if (part.length < length) throw invalidLink('it is cut off');
    this.#at += length;
    return part;
  }

  u8(): number {
    return this.take(1)[0] as number;
  }

  u32(): number {
    return new DataView(this.take(4).buffer).getUint32(0);
  }

  text(): string {
    const bytes = this.take(this.u8());
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw invalidLink('a text in it is not UTF-8');
    }
  }
}

/** The offer of a compact link, not yet checked. @throws CountersignError `invalid_link` */
export async function decodeCompact(text: string): Promise<PairingOffer> {
  const bytes = fromBase64Url(text);
  if (bytes === undefined) throw invalidLink('its text is damaged');
  const reader = new Reader(bytes);
  if (reader.u8() !== FORMAT) throw invalidLink('it is of a newer kind; update this app');
  const agentEd25519 = reader.take(WIRE.ed25519PublicBytes);
  const agentX25519 = reader.take(WIRE.x25519PublicBytes);
  const token = reader.take(WIRE.pairingTokenBytes);
  const exp = reader.u32();
  const bits = reader.u32();
  const relayUrl = reader.text();
  const name = reader.text();
  if (!reader.atEnd) throw invalidLink('something follows its end');
  const supports = FEATURES.filter((_, bit) => hasBit(bits, bit));
  const relayBinding = hasBit(bits, RELAY_BINDING_BIT);
  const namespaceId = await namespaceIdOf(agentEd25519);
  return { relayUrl, namespaceId, agentEd25519, agentX25519, token, name, exp, supports, relayBinding };
}
