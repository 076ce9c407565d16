/** What describers say beside words, checked: estimates of risk and paths to read. Must not trust a host's. */
import { summaryLine, toWellFormed } from '@countersign/protocol/blocks';
import type { RiskEstimate, RiskLevel } from './describer.js';

/** So many files may one call have read. */
export const MAX_READS = 16;
const MAX_REASONS = 16;
/** PATH_MAX of the common systems. */
const MAX_PATH_UNITS = 4_096;
const LEVELS: readonly RiskLevel[] = ['low', 'normal', 'high'];

/** The estimate, its reasons as lines a person reads, masked before they are cut; undefined for nonsense. */
export function asRisk(given: unknown, mask: (text: string) => string): RiskEstimate | undefined {
  const { level, reasons } = given as Partial<RiskEstimate>;
  const known = LEVELS.find((one) => one === level);
  if (known === undefined || !Array.isArray(reasons)) return undefined;
  if (!reasons.every((reason): reason is string => typeof reason === 'string')) return undefined;
  const lines = reasons.slice(0, MAX_REASONS).map((reason) => summaryLine(mask(toWellFormed(reason))));
  return { level: known, reasons: [...new Set(lines)].filter((line) => line !== '') };
}

/** Paths to read, each once; undefined for nonsense. */
export function asReads(given: unknown): readonly string[] | undefined {
  if (!Array.isArray(given) || !given.every((path): path is string => typeof path === 'string'))
    return undefined;
  const usable = given.filter((path) => path !== '' && path.length <= MAX_PATH_UNITS && !path.includes('\0'));
  return [...new Set(usable)].slice(0, MAX_READS);
}
