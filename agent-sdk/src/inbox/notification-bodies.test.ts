/** Whatever is asked, its notification is small enough to be the content of a push, never a mere wake (04 §1). */
import { randomBytes } from 'node:crypto';
import { CONTENT, SEAL } from '@countersign/protocol';
import { summaryLine, titleLine } from '@countersign/protocol/blocks';
import { frameBody } from '@countersign/protocol/e2e';
import { checkSend, newEnvelope } from '@countersign/protocol/payloads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemKind, ItemRow } from '../store/index.js';
import { alertBody, type NotificationBody, replacementBody, unknownBody } from './notification-bodies.js';
import { newRequestId } from './request-checks.js';
import { MAX_PENDING_ITEMS } from './request-limits.js';

const CONTENT_CLASS_BYTES = 2_048;
/** What the relay lets travel in a push. */
const MAX_BASE64 = 3_500;
const NOW = 1_800_000_000_000;

const jsonOf = (body: NotificationBody): string =>
  JSON.stringify(checkSend({ ...newEnvelope('notification', NOW, randomBytes(16)), ...body }));

/** Bytes before padding, and as they travel in a push. */
function sizes(body: NotificationBody) {
  const json = jsonOf(body);
  const sealed = frameBody(json, 'queued').length + SEAL.tagBytes;
  return {
    bare: Buffer.byteLength(json) + SEAL.headerBytes,
    padded: sealed - SEAL.tagBytes,
    base64: 4 * Math.ceil(sealed / 3),
  };
}

function rowOf(kind: ItemKind, text: string): ItemRow {
  const entry = { summary: summaryLine(text), question: text, message: text };
  const row = { kind, requestId: newRequestId(kind), toolName: text, entry: JSON.stringify(entry) };
  return { ...row, expiresAt: NOW + CONTENT.maxExpiresInMs } as ItemRow;
}

/** All of Unicode: every plane, combining marks, controls, lone surrogates, long clusters, and what JSON escapes. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 400 }),
  fc
    .constantFrom('"', '\\', '\u0000', '\u202e', '\ud800', '😀', '👩‍👩‍👧‍👦', 'e\u0301', '字')
    .map((one) => one.repeat(400)),
);
const kinds = fc.constantFrom<ItemKind>('approval', 'clarification', 'elicitation');

describe('a notification', () => {
  it('is in the class of 2,048 bytes and within what a push carries, whatever it says', () => {
    fc.assert(
      fc.property(
        kinds,
        anyText,
        anyText,
        fc.nat(MAX_PENDING_ITEMS),
        fc.boolean(),
        (kind, label, text, badge, flag) => {
          const sender = { label: titleLine(label) || 'agent', badge };
          // A blank text is refused before there is an item.
          const row = rowOf(kind, text.trim() === '' ? 'x' : text);
          const bodies = [
            alertBody(sender, row, flag),
            replacementBody(sender, row, `approved on ${text}`),
            unknownBody(sender, row, flag),
          ];
          for (const body of bodies) {
            const { padded, base64 } = sizes(body as NotificationBody);
            expect(padded).toBeLessThanOrEqual(CONTENT_CLASS_BYTES);
            expect(base64).toBeLessThanOrEqual(MAX_BASE64);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each<[string, NotificationBody | undefined, number, number]>([
    ['alert', alertBody(largest(), rowOf('elicitation', '😀'.repeat(120)), false), 969, 1_388],
    ['replacement', replacementBody(largest(), rowOf('elicitation', ''), '😀'.repeat(64)), 985, 1_388],
    ['unknown end', unknownBody(largest(), rowOf('elicitation', '😀'.repeat(120)), true), 860, 1_388],
    ['information', { title: '😀'.repeat(64), body: 'x'.repeat(1_022) }, 1_393, 2_752],
  ])('has a largest size, pinned: %s', (_, body, bare, base64) => {
    expect(sizes(body as NotificationBody)).toMatchObject({ bare, base64 });
  });
});

function largest() {
  return { label: '😀'.repeat(64), badge: MAX_PENDING_ITEMS };
}
