/** Gives a person's answer through the SDK and keeps it in the history. Must not know screens. */
import type {
  AnswerContent,
  ApproveOptions,
  InboxItem,
  RejectOptions,
  SentAnswer,
} from '@countersign/client-sdk';
import type { Device } from './device.js';
import type { Decision, History } from './history.js';

export type Act =
  | { kind: 'approve'; options?: ApproveOptions }
  | { kind: 'reject'; options?: RejectOptions }
  | { kind: 'answer'; content: AnswerContent };

/** @throws CountersignError as the SDK's `approve`, `reject`, `answer`. */
export async function give(
  act: Act,
  item: InboxItem,
  { device, history }: { device: Pick<Device, 'client'>; history: History },
  now = Date.now(),
): Promise<SentAnswer> {
  const decision = decisionOf(act);
  const sent = await send(act, item, device);
  await history.add(item, decision, sent, now);
  return sent;
}

function send(act: Act, item: InboxItem, { client }: Pick<Device, 'client'>): Promise<SentAnswer> {
  switch (act.kind) {
    case 'approve':
      return client.approve(item, { shown: 'full', ...act.options });
    case 'reject':
      return client.reject(item, act.options);
    case 'answer':
      return client.answer(item, act.content);
  }
}

export function decisionOf(act: Act): Decision {
  if (act.kind === 'approve') return approvedHow(act.options ?? {});
  if (act.kind === 'reject') return rejectedHow(act.options ?? {});
  if (act.content.kind === 'clarification') return 'answered';
  return ({ accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const)[act.content.action];
}

function approvedHow({ modifiedArguments, ruleId, bypassSecs }: ApproveOptions): Decision {
  if (modifiedArguments !== undefined) return 'approved_edited';
  if (ruleId !== undefined) return 'approved_rule';
  if (bypassSecs === undefined) return 'approved';
  return bypassSecs === 0 ? 'approved_session' : 'approved_for';
}

function rejectedHow({ stop, respond }: RejectOptions): Decision {
  if (stop === true) return 'stopped';
  return respond === true ? 'responded' : 'rejected';
}
