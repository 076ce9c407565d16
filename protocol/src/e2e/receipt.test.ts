import { beforeAll, describe, expect, test } from 'vitest';
import {
  argsDigest,
  deriveIdentity,
  type IdentityKeys,
  type Receipt,
  receiptAnswer,
  signReceipt,
  type UnsignedReceipt,
  verifyReceipt,
} from './index.js';

let device: IdentityKeys;
let unsigned: UnsignedReceipt;
let receipt: Receipt;

beforeAll(async () => {
  device = await deriveIdentity(new Uint8Array(32).fill(5));
  unsigned = {
    v: 1,
    alg: 'ed25519',
    namespace_id: 'ab'.repeat(32),
    device: Buffer.from(device.ed25519Public).toString('hex'),
    kind: 'approval',
    request_id: 'appr_1',
    item_digest: 'cd'.repeat(32),
    answer: { request_id: 'appr_1', decision: 'approved' },
    shown: 'full',
    decided_at: 1_750_000_001_000,
  };
  receipt = await signReceipt(unsigned, device.ed25519Secret);
});

describe('a receipt', () => {
  test('verifies under the key of its device, after a trip as JSON', async () => {
    expect(receipt.sig).toMatch(/^[0-9a-f]{128}$/);
    expect(await verifyReceipt(JSON.parse(JSON.stringify(receipt)), device.ed25519Public)).toBe('ok');
  });

  test('does not verify once any member was changed', async () => {
    const changes: Partial<Receipt>[] = [
      { namespace_id: 'ac'.repeat(32) },
      { kind: 'elicitation' },
      { request_id: 'appr_2' },
      { item_digest: 'ce'.repeat(32) },
      { answer: { request_id: 'appr_1', decision: 'rejected' } },
      { answer: {} },
      { shown: 'summary' },
      { decided_at: 1_750_000_001_001 },
      { sig: `00${receipt.sig.slice(2)}` },
    ];
    for (const change of changes) {
      expect(await verifyReceipt({ ...receipt, ...change }, device.ed25519Public)).toBe('bad_signature');
    }
  });

  test('of another device does not verify, even if it names this one', async () => {
    const other = await deriveIdentity(new Uint8Array(32).fill(6));
    expect(await verifyReceipt(receipt, other.ed25519Public)).toBe('bad_signature');
    const impersonation = await signReceipt(unsigned, other.ed25519Secret);
    expect(await verifyReceipt(impersonation, device.ed25519Public)).toBe('bad_signature');
    expect(await verifyReceipt(impersonation, other.ed25519Public)).toBe('bad_signature');
  });

  test('may have its hex in capitals and members of a later version, which are signed too', async () => {
    const capital = await signReceipt({ ...unsigned, item_digest: 'CD'.repeat(32) }, device.ed25519Secret);
    const shouting = { ...capital, sig: capital.sig.toUpperCase() };
    expect(await verifyReceipt(shouting, device.ed25519Public)).toBe('ok');
    const later = await signReceipt({ ...unsigned, place: 'phone' } as UnsignedReceipt, device.ed25519Secret);
    expect(await verifyReceipt(later, device.ed25519Public)).toBe('ok');
    expect(await verifyReceipt({ ...later, place: 'desk' }, device.ed25519Public)).toBe('bad_signature');
    expect(await verifyReceipt({ ...receipt, place: 'added' }, device.ed25519Public)).toBe('bad_signature');
  });

  test.each([
    ['v', 2],
    ['v', '1'],
    ['alg', 'none'],
    ['alg', 'ED25519'],
    ['namespace_id', 'ab'],
    ['device', 7],
    ['device', 'zz'.repeat(32)],
    ['kind', 'session'],
    ['kind', 'toString'],
    ['request_id', ''],
    ['request_id', 5],
    ['item_digest', null],
    ['item_digest', 'cd'.repeat(31)],
    ['answer', null],
    ['answer', []],
    ['answer', 'approved'],
    ['shown', true],
    ['shown', 'FULL'],
    ['decided_at', -1],
    ['decided_at', 1.5],
    ['decided_at', '1'],
    ['decided_at', 2 ** 53],
    ['sig', ''],
    ['sig', 'ab'.repeat(63)],
    ['sig', 'xy'.repeat(64)],
    ['sig', ['a']],
    ['extra', '\ud800'],
    ['extra', undefined],
  ])('with %s = %j is malformed', async (member, value) => {
    expect(await verifyReceipt({ ...receipt, [member]: value }, device.ed25519Public)).toBe('malformed');
  });

  test.each([undefined, null, 1, 'receipt', [], {}, new Map()])('is not %j', async (value) => {
    expect(await verifyReceipt(value, device.ed25519Public)).toBe('malformed');
  });

  test.each([
    'v',
    'alg',
    'namespace_id',
    'device',
    'kind',
    'request_id',
    'item_digest',
    'answer',
    'shown',
    'decided_at',
    'sig',
  ])('without %s is malformed, also when an object inherits it', async (member) => {
    const rest = Object.fromEntries(Object.entries(receipt).filter(([key]) => key !== member));
    expect(await verifyReceipt(rest, device.ed25519Public)).toBe('malformed');
    const heir = Object.assign(Object.create({ [member]: receipt[member as keyof Receipt] }), rest);
    expect(await verifyReceipt(heir, device.ed25519Public)).toBe('malformed');
  });
});

describe('the answer of a receipt', () => {
  const envelope = { v: 1, kind: 'approval_response', id: 'x', ts: 5 };

  test('is every member of the response but envelope and receipt, unknown ones included', async () => {
    const members = { request_id: 'a', decision: 'approved', bypass_secs: 0, reason: null, later: [1] };
    expect(await receiptAnswer({ ...envelope, ...members, receipt: { v: 1 } })).toEqual(members);
  });

  test('has a digest in the place of modified arguments', async () => {
    const modified_arguments = { path: '/x' };
    expect(await receiptAnswer({ ...envelope, request_id: 'a', modified_arguments })).toEqual({
      request_id: 'a',
      modified_arguments: await argsDigest(modified_arguments),
    });
  });

  test('leaves out the values of sensitive fields and changes nothing in the response', async () => {
    const response = { ...envelope, request_id: 'e', action: 'accept', content: { pin: '1234', name: 'n' } };
    expect(await receiptAnswer(response, ['pin', 'toString'])).toEqual({
      request_id: 'e',
      action: 'accept',
      content: { name: 'n' },
    });
    expect(response.content.pin).toBe('1234');
    expect(await receiptAnswer(response)).toMatchObject({ content: { pin: '1234', name: 'n' } });
  });

  test('takes a content that is no object as it is', async () => {
    for (const content of [null, 'text', [1]]) {
      expect(await receiptAnswer({ ...envelope, content }, ['pin'])).toEqual({ content });
    }
  });
});
