/**
 * What a peer announced in `supports` (03 §1): only ever added to, and never more than a bounded list, whatever a
 * peer writes. Must not know what a feature changes.
 */
import { FEATURES, WEB_FEATURES } from '../frames/index.js';

/** Names kept for one peer; known ones go first. */
export const MAX_FEATURES = 64;
const FEATURE_NAME = /^[a-z0-9_.-]{1,32}$/;

/** The names in an announcement that are names at all; none twice, at most {@link MAX_FEATURES}. Never throws. */
export function readSupports(announced: unknown): string[] {
  if (!Array.isArray(announced)) return [];
  const names = new Set(announced.filter((name) => typeof name === 'string' && FEATURE_NAME.test(name)));
  const known = FEATURES.filter((name) => names.has(name));
  return [...new Set<string>([...known, ...names])].slice(0, MAX_FEATURES);
}

/** What is remembered of a peer after it announced something: what was known stays, so nothing can be taken back. */
export function mergeSupports(remembered: readonly string[], announced: unknown): string[] {
  return readSupports([...remembered, ...readSupports(announced)]);
}

/** What a platform has from the start, whatever it announced. */
export function impliedSupports(platform: string): readonly string[] {
  return platform === 'web' ? WEB_FEATURES : [];
}
