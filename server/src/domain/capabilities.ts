/** Capabilities this relay acts on (01 §2). Must not know who announces them. */
import { CAPABILITY, utf8, WIRE } from '@countersign/protocol';
import type { PeerRole } from '../ports/index.js';

const TO_ALL = [CAPABILITY.ref, CAPABILITY.received, CAPABILITY.window];

const OFFERED: Readonly<Record<PeerRole, ReadonlySet<string>>> = {
  agent: new Set([...TO_ALL, CAPABILITY.pushHints, CAPABILITY.pushReport]),
  client: new Set([...TO_ALL, CAPABILITY.pushHandle]),
  pairing: new Set(TO_ALL),
};

/** What both sides understand, in the peer's order, each once. */
export function inForce(role: PeerRole, announced: readonly string[]): string[] {
  return [...new Set(announced)].filter((capability) => OFFERED[role].has(capability));
}

/** At most 16 names of at most 32 bytes. */
export function areWithinLimits(announced: readonly string[]): boolean {
  return (
    announced.length <= WIRE.maxCapabilities &&
    announced.every((capability) => utf8(capability).length <= WIRE.maxCapabilityBytes)
  );
}
