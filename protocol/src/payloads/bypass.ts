/** What a `bypass_secs` asks for (03 §5). Must not know whether an item offers it. */
import { CONTENT } from '../frames/index.js';

export type BypassVerdict =
  | { asks: 'once' }
  | { asks: 'session' }
  /** `secs` is what it is lowered to; `wanted` what was asked. */
  | { asks: 'time'; secs: number; wanted: number }
  | { asks: 'invalid' };

/**
 * Absent is once and 0 the session; 1 to 86,400 whole seconds are a time, lowered to the ceiling. Null, negative,
 * fractional, larger, and everything that is no number is invalid. Never throws.
 * @param ceilingSecs what the host allows; below 1 nothing lasts, and the answer counts as once
 */
export function judgeBypass(value: unknown, ceilingSecs: number = CONTENT.maxBypassSeconds): BypassVerdict {
  if (value === undefined) return { asks: 'once' };
  if (typeof value !== 'number' || !Number.isInteger(value)) return { asks: 'invalid' };
  if (value < 0 || value > CONTENT.maxBypassSeconds) return { asks: 'invalid' };
  if (value === CONTENT.sessionBypassSeconds) return { asks: 'session' };
  if (!(ceilingSecs >= 1)) return { asks: 'once' };
  return { asks: 'time', secs: Math.min(value, Math.floor(ceilingSecs)), wanted: value };
}
