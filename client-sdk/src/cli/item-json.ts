/** The `--json` form of items and answers, pinned by tests. Secrets are masked as on screen. Must not know commands. */
import type { AnswerState, InboxItem, InboxSnapshot } from '../api.js';
import { itemLines } from './render-item.js';

export function itemJson(item: InboxItem): Record<string, unknown> {
  return {
    pairing: item.pairingId,
    agent: item.agentName,
    kind: item.kind,
    request_id: item.requestId,
    state: item.state,
    summary: item.summary,
    lines: itemLines(item),
    digest: item.digest,
    digest_matches: item.digestMatches,
    whole: item.whole,
    risk: item.risk,
    choices: item.choices,
    created_at: item.createdAt,
    expires_at: item.expiresAt,
    remaining_ms: item.remainingMs,
    ...(item.answer === undefined ? {} : { answer: answerJson(item.answer) }),
  };
}

export function answerJson(state: AnswerState): Record<string, unknown> {
  const { phase } = state;
  if (phase === 'confirmed') {
    const { status, outcome, by, bypassSecs } = state;
    return defined({ phase, status, outcome, by, bypass_secs: bypassSecs });
  }
  if (phase === 'refused') {
    const { status, outcome, by, message } = state;
    return defined({ phase, status, outcome, by, message });
  }
  return { phase };
}

export function statusJson(inbox: InboxSnapshot): Record<string, unknown>[] {
  return inbox.pairings.map((pairing) =>
    defined({
      id: pairing.id,
      agent: pairing.agentName,
      connection: pairing.connection,
      agent_online: pairing.agentOnline,
      problem: pairing.problem,
      snapshot_at: pairing.snapshotAt,
      clock_offset_ms: pairing.clockOffsetMs,
    }),
  );
}

function defined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
