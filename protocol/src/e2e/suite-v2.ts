/**
 * Suite `v2` (02 §2): X25519, HKDF-SHA256, AES-256-GCM with direction and counter in the nonce.
 * Must not know counters' storage, framing or payloads.
 */
import { platform } from '#platform';
import { isSoundEd25519Key } from '../auth/index.js';
import { CountersignError, concatBytes, SEAL, utf8, WIRE } from '../frames/index.js';
import { sharedSecret } from './keys.js';
import type { ChannelParams, SealedChannel, Suite } from './suite.js';

const SESSION_SALT = utf8('skald-session-v1');
const SESSION_INFO = utf8('aes-256-gcm');

/** First four bytes of a nonce, by its sender. */
const DIRECTION = { agent: 1, device: 2 } as const;
type Role = ChannelParams['role'];

const other = (role: Role): Role => (role === 'agent' ? 'device' : 'agent');

/** The key of both directions. @throws CountersignError `bad_request` as {@link sharedSecret}. */
export async function sessionKeyV2(mySecret: Uint8Array, theirPublic: Uint8Array): Promise<Uint8Array> {
  const shared = await sharedSecret(mySecret, theirPublic);
  return platform.hkdfSha256(shared, SESSION_SALT, SESSION_INFO, SEAL.keyBytes);
}

/** Direction ‖ counter, both big-endian. */
export function nonceV2(sender: Role, counter: number): Uint8Array {
  if (!Number.isSafeInteger(counter) || counter < 0) {
    throw new CountersignError('invalid_request', 'A counter is a safe integer of 0 or more');
  }
  const nonce = new Uint8Array(SEAL.nonceBytes);
  const view = new DataView(nonce.buffer);
  view.setUint32(0, DIRECTION[sender]);
  view.setBigUint64(SEAL.nonceDirectionBytes, BigInt(counter));
  return nonce;
}

/** The counter of a nonce of this sender; undefined for any other nonce and for a counter above 2^53 − 1. */
function counterOf(sender: Role, nonce: Uint8Array): number | undefined {
  if (nonce.length !== SEAL.nonceBytes) return undefined;
  const view = new DataView(nonce.buffer, nonce.byteOffset, nonce.byteLength);
  if (view.getUint32(0) !== DIRECTION[sender]) return undefined;
  const counter = view.getBigUint64(SEAL.nonceDirectionBytes);
  return counter <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(counter) : undefined;
}

/** Additional data: namespace ‖ sender's Ed25519 ‖ recipient's Ed25519. */
export function aadV2(sender: Role, params: ChannelParams): Uint8Array {
  const { namespaceId, agentEd25519, deviceEd25519 } = params;
  return sender === 'agent'
    ? concatBytes(namespaceId, agentEd25519, deviceEd25519)
    : concatBytes(namespaceId, deviceEd25519, agentEd25519);
}

function requireSound(params: ChannelParams): void {
  const sound =
    params.namespaceId.length === WIRE.namespaceIdBytes &&
    isSoundEd25519Key(params.agentEd25519) &&
    isSoundEd25519Key(params.deviceEd25519);
  if (!sound) throw new CountersignError('bad_request', 'A channel needs a namespace id and two sound keys');
}

async function openChannel(params: ChannelParams): Promise<SealedChannel> {
  requireSound(params);
  const key = await sessionKeyV2(params.mySecret, params.theirPublic);
  const me = params.role;
  const peer = other(me);
  const outgoing = aadV2(me, params);
  const incoming = aadV2(peer, params);
  return {
    suite: suiteV2.name,
    async seal(counter, framed) {
      const nonce = nonceV2(me, counter);
      return { nonce, ciphertext: await platform.aesGcmSeal(key, nonce, outgoing, framed) };
    },
    async open(nonce, ciphertext) {
      const counter = counterOf(peer, nonce);
      if (counter === undefined) return undefined;
      const framed = await platform.aesGcmOpen(key, nonce, incoming, ciphertext);
      return framed && { counter, framed };
    },
  };
}

/** The suite every peer of the compatible family speaks. */
export const suiteV2: Suite = { name: 'v2', open: openChannel };
