/** Capabilities this relay acts on (01 §2). Must not know who announces them. */
import { CAPABILITY, utf8, WIRE } from '@countersign/protocol';

const OFFERED: ReadonlySet<string> = new Set([CAPABILITY.ref, CAPABILITY.received, CAPABILITY.window]);

/** What both sides understand, in the peer's order, each once. */
export function inForce(announced: readonly string[]): string[] {
  return [...new Set(announced)].filter((capability) => OFFERED.has(capability));
}

/** At most 16 names of at most 32 bytes. */
export function areWithinLimits(announced: readonly string[]): boolean {
  return (
    announced.length <= WIRE.maxCapabilities &&
    announced.every((capability) => utf8(capability).length <= WIRE.maxCapabilityBytes)
  );
}
