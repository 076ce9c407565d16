import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CUT_NOTE, fitSnapshot, MAX_LIVE_JSON_BYTES, MAX_QUEUED_JSON_BYTES } from './fit.js';
import type { ApprovalItem } from './items.js';
import { jsonBytes } from './members.js';
import { approval, clarification, elicitation, update as sample } from './payload.fixtures.js';
import type { InboxUpdate } from './payload.js';
import { checkSend } from './send.js';

function block(value: string) {
  return { type: 'block' as const, label: 'L', value, value_type: 'text' as const };
}

function item(id: string, argumentBytes: number, blockBytes: number[] = [10]): ApprovalItem {
  return {
    ...approval,
    request_id: `appr_${id}`,
    arguments: { text: 'x'.repeat(argumentBytes) },
    blocks: { v: 1, summary: 's', blocks: blockBytes.map((bytes) => block('y'.repeat(bytes))) },
  };
}

function updateOf(...approvals: ApprovalItem[]): InboxUpdate {
  return { ...sample, badge: approvals.length, approvals, clarifications: [], elicitations: [] };
}

function entry(update: InboxUpdate, id: string): ApprovalItem | undefined {
  return update.approvals.find(({ request_id }) => request_id === `appr_${id}`);
}

describe('a snapshot', () => {
  it('that fits is left alone, all of it whole', () => {
    const { update, whole } = fitSnapshot(sample, jsonBytes(sample));
    expect(update).toEqual(sample);
    expect([...whole]).toEqual(['appr_01', 'clar_01', 'elic_01']);
  });

  it('has room in JSON for what the limits of sealing leave', () => {
    expect(MAX_LIVE_JSON_BYTES + 2 + 16).toBe(523_264);
    expect(MAX_QUEUED_JSON_BYTES + 2 + 16).toBe(61_456);
  });

  it('loses the arguments of its largest item first', () => {
    const { update, whole } = fitSnapshot(updateOf(item('small', 100), item('large', 5000)), 4000);
    expect(entry(update, 'small')).toEqual(item('small', 100));
    expect(entry(update, 'large')?.arguments).toBeUndefined();
    expect(entry(update, 'large')?.truncated).toBe(true);
    expect(entry(update, 'large')?.blocks).toEqual(item('large', 1).blocks);
    expect([...whole]).toEqual(['appr_small']);
  });

  it('then loses blocks from the end, each whole or not at all', () => {
    const { update } = fitSnapshot(updateOf(item('a', 10, [1000, 1000, 1000])), 3500);
    const blocks = entry(update, 'a')?.blocks?.blocks;
    expect(blocks).toEqual([block('y'.repeat(1000)), block('y'.repeat(1000))]);
  });

  it('has no empty view', () => {
    const { update } = fitSnapshot(updateOf(item('a', 10, [9000])), 1000);
    expect(entry(update, 'a')).toBeDefined();
    expect(entry(update, 'a')?.blocks).toBeUndefined();
  });

  it('keeps the item whole that was asked for, whatever the others lose', () => {
    const asked = item('asked', 5000, [2000]);
    const { update, whole } = fitSnapshot(updateOf(item('other', 3000, [3000]), asked), 8500, {
      wholeId: 'appr_asked',
    });
    expect(entry(update, 'asked')).toEqual(asked);
    expect([...whole]).toEqual(['appr_asked']);
    expect(entry(update, 'other')?.truncated).toBe(true);
  });

  it('cuts even the item that was asked for when it does not fit alone', () => {
    const { update, whole } = fitSnapshot(updateOf(item('asked', 50_000)), 5000, { wholeId: 'appr_asked' });
    expect(entry(update, 'asked')?.truncated).toBe(true);
    expect(whole.size).toBe(0);
  });

  it('tells a device that does not know the mark first in detail', () => {
    const original = { ...item('a', 9000), detail: 'as usual' };
    const { update } = fitSnapshot(updateOf(original), 3000, { namesTruncated: false });
    expect(entry(update, 'a')?.detail).toBe(`${CUT_NOTE}\n\nas usual`);
  });

  it('leaves items out only when nothing else helps, the largest first, and the badge still counts them', () => {
    const long = { ...item('long', 1), tool_name: 't'.repeat(5000) };
    const { update } = fitSnapshot(updateOf(item('a', 1), long), 3000);
    expect(update.approvals.map(({ request_id }) => request_id)).toEqual(['appr_a']);
    expect(update.badge).toBe(2);
  });

  it('is not changed itself', () => {
    const update = updateOf(item('a', 5000, [3000, 3000]));
    const before = structuredClone(update);
    fitSnapshot(update, 1000);
    expect(update).toEqual(before);
  });

  it('fits every size, is sendable, and calls nothing whole that was touched', () => {
    const sizes = fc.nat({ max: 3000 });
    const items = fc.array(fc.tuple(sizes, fc.array(sizes, { minLength: 1, maxLength: 4 })), {
      maxLength: 5,
    });
    const limit = fc.integer({ min: 600, max: 12_000 });
    fc.assert(
      fc.property(
        items,
        limit,
        fc.boolean(),
        fc.nat({ max: 5 }),
        (shapes, maxBytes, namesTruncated, asked) => {
          const approvals = shapes.map(([args, blocks], at) => item(String(at), args, blocks));
          const given = {
            ...updateOf(...approvals),
            clarifications: [clarification],
            elicitations: [elicitation],
          };
          const { update, whole } = fitSnapshot(given, maxBytes, {
            namesTruncated,
            wholeId: `appr_${asked}`,
          });
          expect(jsonBytes(update)).toBeLessThanOrEqual(maxBytes);
          checkSend(update);
          for (const one of update.approvals) {
            const original = approvals.find(({ request_id }) => request_id === one.request_id);
            const untouched = JSON.stringify(one) === JSON.stringify(original);
            expect(whole.has(one.request_id)).toBe(untouched);
            expect(one.truncated ?? false).toBe(!untouched);
          }
        },
      ),
    );
  });
});
