/** What is made of several measurements. Must not know what was measured. */
import { median } from './measure.js';

/** The smallest value that `share` (0…1) of the values do not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The middle one with the two ends. */
export function figureOf(values: readonly number[]): Figure {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Of each pair ours by the baseline's: what disturbed both at the same time does not show. */
export function ratiosOf(ours: readonly number[], baseline: readonly number[]): number[] {
  return ours.map((value, at) => value / (baseline[at] ?? Number.NaN));
}
