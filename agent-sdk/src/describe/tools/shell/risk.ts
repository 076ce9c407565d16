/** How grave a script is, with reasons. An estimate from its text, never a gate. Must not know tools. */
import type { RiskEstimate } from '../../describer.js';
import type { Analysis } from './analyse.js';
import type { ShellCall } from './call.js';
import { EFFECT_KINDS, type EffectGroup } from './effect.js';
import type { Hidden } from './hidden.js';

/** A reason names so many targets. */
const MAX_NAMED = 3;

export function riskOf(
  call: ShellCall,
  analysis: Analysis,
  groups: readonly EffectGroup[],
  hidden: readonly Hidden[],
): RiskEstimate {
  const high = [
    ...analysis.users.map((user) => `runs as ${user}`),
    ...(call.user === 'root' ? ['runs as root'] : []),
    ...(call.escalates === undefined ? [] : [`asks to run ${call.escalates}`]),
    ...groups
      .filter(({ level }) => level === 'high')
      .map(({ kind, targets }) => `${EFFECT_KINDS[kind].clause} ${named(targets)}`),
    ...(analysis.disguised.length > 0
      ? [`writes ${named(analysis.disguised)} so that it is hard to recognise`]
      : []),
    ...hidden.filter(({ grave }) => grave).map(({ words }) => words),
    ...(analysis.broken ? ['does not parse as a shell script'] : []),
    ...(analysis.cut ? ['is too long to be read through'] : []),
  ];
  if (high.length > 0) return { level: 'high', reasons: high };
  const odd = hidden.map(({ words }) => words);
  if (odd.length === 0 && analysis.onlyReads && call.env.length === 0)
    return { level: 'low', reasons: ['only looks'] };
  const normal = groups.map(({ kind, targets }) => `${EFFECT_KINDS[kind].clause} ${named(targets)}`);
  return { level: 'normal', reasons: [...normal, ...odd] };
}

function named(targets: readonly string[]): string {
  const more = targets.length - MAX_NAMED;
  return `${targets.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
