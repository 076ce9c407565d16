/** From a received snapshot to stored items, whatever is in it. */
import { itemDigest } from '@countersign/protocol/e2e';
import { type ReceivedInboxUpdate, receivePayload } from '@countersign/protocol/payloads';
import { describe, expect, it } from 'vitest';
import { readUpdate, SNAPSHOT_MAX_ITEMS } from './read-update.js';

const namespaceId = 'ab'.repeat(32);
const arrival = { namespaceId, counter: 5, receivedAt: 1000, clockOffsetMs: 500 };

function read(lists: Record<string, unknown>) {
  const received = receivePayload({ v: 1, kind: 'inbox_update', id: 'x', ts: 1, badge: 1, ...lists });
  if (!('ok' in received)) throw new Error('not read');
  return readUpdate(received.ok as ReceivedInboxUpdate, arrival);
}

const entry = { request_id: 'a', tool_name: 't', agent_label: 'l', summary: 's', created_at: 7 };

describe('a received item', () => {
  it('is digested as it came, unknown members included, digest and truncated left out', async () => {
    const odd = { ...entry, unknown: { deep: [1, null] }, choices: null };
    const digest = await itemDigest('approval', namespaceId, odd);
    const { items } = await read({ approvals: [{ ...odd, digest: digest.toUpperCase(), truncated: true }] });
    expect(items[0]).toMatchObject({ digest, digestMatches: true, whole: false, readable: true });
    expect(items[0]?.entry).toMatchObject(odd);
  });

  it('without an end is taken to last a day, without a digest to match', async () => {
    const { items } = await read({ approvals: [entry] });
    expect(items[0]).toMatchObject({
      expiresAt: 7 + 24 * 60 * 60 * 1000,
      digestMatches: true,
      risk: 'normal',
    });
  });

  it('with a number no double holds has no digest, and matches none', async () => {
    const { items } = await read({ approvals: [{ ...entry, arguments: { n: Number.POSITIVE_INFINITY } }] });
    expect(items[0]).toMatchObject({ digest: '', digestMatches: false });
  });

  it('without an id can be seen', async () => {
    const { items } = await read({ clarifications: [{ question: 'q' }, 7, null] });
    expect(items.map(({ readable }) => readable)).toEqual([false, false, false]);
    expect(new Set(items.map(({ requestId }) => requestId)).size).toBe(3);
  });

  it('above the limit of a snapshot is left out', async () => {
    const many = Array.from({ length: SNAPSHOT_MAX_ITEMS + 1 }, (_, index) => ({
      ...entry,
      request_id: `${index}`,
    }));
    expect((await read({ approvals: many })).items).toHaveLength(SNAPSHOT_MAX_ITEMS);
  });
});
