/** How a connection ends (01 §4). */
import { CLOSE, ERRORS, type WireCode } from '@countersign/protocol';

export interface Closing {
  readonly code: number;
  /** For people who debug; never anything of a peer. */
  readonly reason: string;
}

export const CLOSED = {
  pairingDone: { code: CLOSE.pairingDone, reason: 'paired' },
  goingAway: { code: CLOSE.goingAway, reason: 'the relay is going away' },
  displaced: { code: CLOSE.displaced, reason: 'displaced by a newer login' },
  revoked: { code: CLOSE.revoked, reason: 'revoked' },
  idle: { code: CLOSE.idle, reason: 'idle' },
  tooSlow: { code: CLOSE.tooSlow, reason: 'too slow' },
} as const satisfies Record<string, Closing>;

/** The close that goes with an error which ends the connection. */
export function closingFor(code: WireCode): Closing {
  return { code: ERRORS[code].closeCode ?? CLOSE.policy, reason: code };
}
