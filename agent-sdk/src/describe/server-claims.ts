/**
 * What an MCP server claims of its tool by annotations (Model Context Protocol 2025-06-18, `ToolAnnotations`), and how far
 * it is believed: it may always make an estimate graver, and less grave only where nothing else is known of the call.
 * Must not know tools.
 */
import type { RiskEstimate, RiskLevel } from './describer.js';

const LEVELS: readonly RiskLevel[] = ['low', 'normal', 'high'];

/** The estimate with the claims in it. `annotations` may be anything. Never throws. */
export function withClaims(estimate: RiskEstimate, annotations: unknown): RiskEstimate {
  const says = (hint: string): unknown =>
    typeof annotations === 'object' && annotations !== null && Object.hasOwn(annotations, hint)
      ? (annotations as Record<string, unknown>)[hint]
      : undefined;
  if (says('readOnlyHint') === true) return onlyReads(estimate);
  let claimed = estimate;
  if (says('destructiveHint') === true)
    claimed = raised(claimed, 'high', 'the server says it may destroy something');
  if (says('readOnlyHint') === false)
    claimed = raised(claimed, 'normal', 'the server says it changes something');
  if (says('openWorldHint') === true)
    claimed = raised(claimed, 'normal', 'the server says it reaches beyond itself');
  return claimed;
}

/** Only a call of which nothing else is known is taken for lighter. */
function onlyReads({ level, reasons }: RiskEstimate): RiskEstimate {
  const unknown = level === 'normal' && reasons.length === 0;
  return { level: unknown ? 'low' : level, reasons: [...reasons, 'the server says it only reads'] };
}

function raised({ level, reasons }: RiskEstimate, least: RiskLevel, reason: string): RiskEstimate {
  const graver = LEVELS.indexOf(least) > LEVELS.indexOf(level);
  return { level: graver ? least : level, reasons: graver ? [reason, ...reasons] : [...reasons, reason] };
}
