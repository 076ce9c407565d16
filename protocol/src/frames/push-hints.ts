/**
 * The hints an agent gives with a queued message (04 §1): opaque to the relay but for life and intent.
 * Must not know what is done with them.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { PushHintsSchema, PushIntent, type PushHints as WireHints } from './gen/relay_pb.js';

export interface PushHints {
  /** 16 bytes; a message with the same one replaces an unsent one. */
  collapse?: Uint8Array | undefined;
  /** Life from arrival at the relay. */
  ttlMs?: bigint | undefined;
  /** `none`: queue it, never push. */
  intent: 'alert' | 'replace' | 'wake' | 'none';
}

const INTENTS = {
  alert: PushIntent.ALERT,
  replace: PushIntent.REPLACE,
  wake: PushIntent.WAKE,
  none: PushIntent.NONE,
} as const satisfies Record<PushHints['intent'], number>;

const INTENT_OF = new Map<number, PushHints['intent']>(
  (Object.keys(INTENTS) as PushHints['intent'][]).map((intent) => [INTENTS[intent], intent]),
);

/** The bytes that go into the `push` of a message frame. @throws Error when `ttlMs` is no uint64. */
export function encodePushHints({ collapse, ttlMs, intent }: PushHints): Uint8Array {
  const hints = create(PushHintsSchema, { intent: INTENTS[intent] });
  if (collapse !== undefined) hints.collapse = collapse;
  if (ttlMs !== undefined) hints.ttlMs = ttlMs;
  return toBinary(PushHintsSchema, hints);
}

/** The hints in these bytes; undefined when undecodable, or of an intent that is absent or unknown. Never throws. */
export function decodePushHints(bytes: Uint8Array): PushHints | undefined {
  const wire = parseHints(bytes);
  const intent = wire && INTENT_OF.get(wire.intent);
  if (intent === undefined) return undefined;
  return {
    intent,
    ...(wire?.collapse === undefined ? {} : { collapse: wire.collapse }),
    ...(wire?.ttlMs === undefined ? {} : { ttlMs: wire.ttlMs }),
  };
}

/** Whether the library would take these bytes as PushHints, whatever they say. */
export function isHints(bytes: Uint8Array): boolean {
  return parseHints(bytes) !== undefined;
}

function parseHints(bytes: Uint8Array): WireHints | undefined {
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return fromBinary(PushHintsSchema, plain, { readUnknownFields: false });
  } catch {
    return undefined;
  }
}
