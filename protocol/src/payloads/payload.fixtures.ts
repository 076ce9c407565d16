/** One good payload of every kind, for tests alone. */
import { readFileSync } from 'node:fs';
import type { ApprovalItem, ClarificationItem, ElicitationItem } from './items.js';
import type { InboxUpdate, Payload } from './payload.js';
import type { Kind } from './words.js';

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/countersign-v1.json', import.meta.url), 'utf8'),
) as { item: { entry: ApprovalItem }; receipt: { unsigned: Record<string, unknown>; sig: string } };

export const NOW = 1_750_000_000_000;
export const ID = '00000000-0000-4000-8000-000000000001';

/** The approval of the published vector. */
export const approval: ApprovalItem = vectors.item.entry;
export const receipt = { ...vectors.receipt.unsigned, sig: vectors.receipt.sig } as never;

export const clarification: ClarificationItem = {
  request_id: 'clar_01',
  question: 'Which branch?',
  agent_label: 'demo',
  created_at: NOW,
  expires_at: NOW + 1000,
};

export const elicitation: ElicitationItem = {
  request_id: 'elic_01',
  server_name: 'files',
  message: 'Your key, please',
  field_name: 'key',
  sensitive: true,
  is_confirmation: false,
  created_at: NOW,
  expires_at: NOW + 1000,
};

export const update: InboxUpdate = {
  v: 1,
  kind: 'inbox_update',
  id: ID,
  ts: NOW,
  badge: 3,
  supports: ['receipts', 'acks'],
  approvals: [approval],
  clarifications: [clarification],
  elicitations: [elicitation],
};

function of<K extends Kind>(kind: K, members: object): Extract<Payload, { kind: K }> {
  return { v: 1, kind, id: ID, ts: NOW, ...members } as never;
}

export const samples = {
  inbox_update: update,
  notification: of('notification', {
    title: 'demo',
    body: 'Write /tmp/x',
    request_id: 'appr_01',
    item_kind: 'approval',
    badge: 1,
  }),
  hello: of('hello', { device_info: { platform: 'ios', device_name: 'My phone' }, supports: ['receipts'] }),
  inbox_request: of('inbox_request', { request_id: 'appr_01', seen: 2 ** 51, used: 7 }),
  approval_response: of('approval_response', { request_id: 'appr_01', decision: 'approved', receipt }),
  clarification_response: of('clarification_response', { request_id: 'clar_01', answer: 'main' }),
  elicitation_response: of('elicitation_response', {
    request_id: 'elic_01',
    action: 'accept',
    content: { key: 'k' },
  }),
  ack: of('ack', {
    ref_id: ID,
    request_id: 'appr_01',
    status: 'applied',
    outcome: 'approved',
    by: 'My phone',
  }),
  logout: of('logout', {}),
  bypass_end: of('bypass_end', { bypass_id: 'b1' }),
} satisfies Record<Kind, Payload>;
