/** Random frames, and random fields that are no frames, for property tests. Knows the door only. */

import {
  type AuthRole,
  encodePushHints,
  type FrameOf,
  type FrameType,
  type PushHints,
  type RelayFrame,
} from '@countersign/protocol';
import fc from 'fast-check';

const bytes = (max = 40) => fc.uint8Array({ maxLength: max });
const uint32 = fc.nat({ max: 0xffff_ffff });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** Protobuf strings are Unicode: no lone surrogates. A leading U+FEFF is dropped by TextDecoder. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !value.startsWith('\ufeff'));
const platform = fc.constantFrom(0, 1, 2, 3, 77);

type Members<T> = { [K in keyof T]: fc.Arbitrary<T[K]> };

/** An object with all of the first members and any of the second. */
function record<T>(required: Members<T>): fc.Arbitrary<T>;
function record<T, O>(required: Members<T>, optional: Members<O>): fc.Arbitrary<T & Partial<O>>;
function record(required: Members<object>, optional: Members<object> = {}): fc.Arbitrary<object> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) as never[] });
}

export const hints: fc.Arbitrary<PushHints> = record(
  { intent: fc.constantFrom('alert' as const, 'replace' as const, 'wake' as const, 'none' as const) },
  { collapse: bytes(), ttlMs: uint64 },
);

const client = { namespaceId: bytes(), clientEd25519Pub: bytes(), deviceToken: text, platform };
const role: fc.Arbitrary<AuthRole> = fc.oneof(
  record({ kind: fc.constant('none' as const) }),
  record({ kind: fc.constant('agent' as const), agentEd25519Pub: bytes() }),
  record({ kind: fc.constant('client' as const), ...client }, { app: text }),
  record(
    { kind: fc.constant('pairing' as const), ...client, clientX25519Pub: bytes(), pairingToken: bytes() },
    { app: text },
  ),
);

const key = <T extends FrameType>(type: T) => fc.constant(type);

export const message: fc.Arbitrary<FrameOf<'message'>> = record(
  { type: key('message'), ciphertext: bytes(300), nonce: bytes(), peer: bytes(), live: fc.boolean() },
  { ref: uint64, push: hints.map(encodePushHints), seq: uint64 },
);

const frames: { readonly [T in FrameType]: fc.Arbitrary<FrameOf<T>> } = {
  challenge: record({ type: key('challenge'), nonce: bytes() }),
  auth: record(
    { type: key('auth'), role, signature: bytes(), capabilities: fc.array(text, { maxLength: 5 }) },
    { invite: text },
  ),
  auth_ok: record(
    { type: key('auth_ok'), namespaceId: bytes(), capabilities: fc.array(text, { maxLength: 5 }) },
    { pushHandle: bytes() },
  ),
  auth_error: record({ type: key('auth_error'), code: text, message: text }),
  authorize: record({ type: key('authorize'), clients: fc.array(bytes(), { maxLength: 5 }) }),
  authorize_ok: record({ type: key('authorize_ok'), authorized: uint32 }),
  pairing_start: record({ type: key('pairing_start'), pairingToken: bytes(), ttl: uint32 }),
  pairing_ready: record({ type: key('pairing_ready'), ttl: uint32 }),
  pairing_stop: record({ type: key('pairing_stop') }),
  pairing_stop_ok: record({ type: key('pairing_stop_ok') }),
  client_paired: record(
    { type: key('client_paired'), clientEd25519Pub: bytes(), clientX25519Pub: bytes(), platform },
    { window: bytes() },
  ),
  message,
  peer_offline: record({ type: key('peer_offline'), peer: bytes() }, { ref: uint64 }),
  presence_request: record({ type: key('presence_request') }),
  presence_list: record({ type: key('presence_list'), online: fc.array(bytes(), { maxLength: 5 }) }),
  presence_event: record({
    type: key('presence_event'),
    pubkey: bytes(),
    status: fc.constantFrom(0, 1, 2, 9),
  }),
  error: record({ type: key('error'), code: text, message: text }, { ref: uint64 }),
  accepted: record({ type: key('accepted'), ref: uint64 }),
  received: record({ type: key('received'), seq: uint64 }),
  push_report: record({ type: key('push_report'), ref: uint64, peer: bytes(), outcome: text, detail: text }),
  empty: record({ type: key('empty') }),
};

export const anyFrame: fc.Arbitrary<RelayFrame> = fc.oneof(...Object.values(frames));

/** Raw protobuf fields that need not mean anything: the building blocks of hostile frames. */
export const rawField: fc.Arbitrary<number[]> = fc
  .tuple(
    fc.constantFrom(1, 2, 3, 4, 5, 15, 16, 17, 18, 19, 100, 5000),
    fc.constantFrom(0, 1, 2, 2, 3, 4, 5),
    fc.array(fc.nat({ max: 255 }), { maxLength: 12 }),
    fc.constantFrom(0n, 1n, 2n, 127n, 128n, 300n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n),
  )
  .map(([number, wireType, content, value]) => [
    ...varint(BigInt(number * 8 + wireType)),
    ...(wireType === 0 ? varint(value) : []),
    ...(wireType === 1 ? padded(content, 8) : []),
    ...(wireType === 2 ? [...varint(BigInt(content.length)), ...content] : []),
    ...(wireType === 5 ? padded(content, 4) : []),
  ]);

/** Shortest varint of a number. */
export function varint(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  return value < 0x80n ? [low] : [low | 0x80, ...varint(value >> 7n)];
}

/** A RelayFrame with member 12 of this content. */
export function messageBytes(...content: (readonly number[] | Uint8Array)[]): Uint8Array {
  const body = content.flatMap((part) => [...part]);
  return Uint8Array.from([0x62, ...varint(BigInt(body.length)), ...body]);
}

function padded(content: number[], length: number): number[] {
  return Array.from({ length }, (_, i) => content[i] ?? 0);
}
