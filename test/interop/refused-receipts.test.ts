/** Answers our agent must not act on for their receipt or what was shown (02 §4), sent by the independent device. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { identityOf } from './peer/crypto.js';
import type { IndependentDevice } from './peer/device.js';
import { type Json, type Kind, receiptOf } from './peer/items.js';
import { agentWithDevice, ask, WRITE } from './peer/sdk-agent.js';

const APPROVED = { decision: 'approved' };

/** A receipt over `answer` (an approval unless told) in which single facts are wrong. */
function receiptWith(device: IndependentDevice, entry: Json, change: Json, signer = device.identity): Json {
  const request_id = String(entry.request_id);
  return receiptOf(signer, {
    namespaceId: device.namespaceId,
    kind: 'approval' as Kind,
    requestId: request_id,
    itemDigest: device.digestOf('approval', entry),
    answer: { request_id, ...APPROVED },
    decidedAt: Date.now(),
    ...change,
  });
}

describe('an approval whose receipt', () => {
  const cases: [string, (device: IndependentDevice, entry: Json) => Json | undefined | null][] = [
    ['is missing', () => undefined],
    ['is null', () => null],
    ['has another digest', (d, e) => receiptWith(d, e, { itemDigest: randomBytes(32).toString('hex') })],
    [
      'covers a rejection',
      (d, e) => receiptWith(d, e, { answer: { request_id: e.request_id, decision: 'rejected' } }),
    ],
    ['covers another request', (d, e) => receiptWith(d, e, { requestId: 'appr_other' })],
    ['covers another kind', (d, e) => receiptWith(d, e, { kind: 'clarification' })],
    ['is of another namespace', (d, e) => receiptWith(d, e, { namespaceId: randomBytes(32) })],
    ['is of another device', (d, e) => receiptWith(d, e, {}, identityOf(randomBytes(32)))],
    [
      'names this device and is signed by another',
      (d, e) => receiptWith(d, e, {}, { ...identityOf(randomBytes(32)), ed25519: d.identity.ed25519 }),
    ],
    ['has no signature', (d, e) => ({ ...receiptWith(d, e, {}), sig: '' })],
    ['has a broken signature', (d, e) => ({ ...receiptWith(d, e, {}), sig: '00'.repeat(64) })],
    ['has a member changed after signing', (d, e) => ({ ...receiptWith(d, e, {}), shown: 'summary' })],
    ['has another version', (d, e) => ({ ...receiptWith(d, e, {}), v: 2 })],
    ['is a text', () => 'receipt' as unknown as Json],
  ];
  it.each(cases)('%s is invalid; a good one then counts', async (_what, make) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const bad = device.response('approval', entry, APPROVED, { receipt: make(device, entry) });
    expect(await device.answer(bad)).toMatchObject({ ref_id: bad.id, status: 'invalid' });
    expect(await agent.pending()).toHaveLength(1);
    expect(await device.answer(device.response('approval', entry, APPROVED))).toMatchObject({
      status: 'applied',
    });
    expect((await outcome).status).toBe('approved');
  });
});

describe('a rejection', () => {
  it.each([
    ['no receipt', undefined],
    ['a broken one', { v: 1, sig: '00' }],
  ])('applies with %s', async (_what, receipt) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const rejection = device.response('approval', entry, { decision: 'rejected', reason: 'no' }, { receipt });
    expect(await device.answer(rejection)).toMatchObject({ status: 'applied' });
    const rejected = await outcome;
    expect(rejected).toMatchObject({ status: 'rejected', reason: 'no' });
    expect('receipt' in rejected ? rejected.receipt : undefined).toBeUndefined();
  });
});

describe('an item the device never had whole', () => {
  const long = (size: number) => ({ toolName: 'write_file', arguments: { text: 'x'.repeat(size) } });

  it('cannot be approved until it has been fetched', async () => {
    const { agent, device } = await agentWithDevice();
    const first = agent.requestApproval(long(300_000));
    await device.receive('inbox_update', (u) => u.badge === 1);
    const second = agent.requestApproval(long(310_000));
    const snapshot = await device.receive('inbox_update', (u) => u.badge === 2);
    const cut = (snapshot.approvals as Json[])[1] as Json;
    expect(cut.truncated).toBe(true);
    const digest = String(cut.digest);
    const request_id = String(cut.request_id);
    const blind = receiptWith(device, cut, { itemDigest: digest });
    const approval = device.response('approval', cut, APPROVED, { receipt: blind });
    expect(await device.answer(approval)).toMatchObject({ status: 'invalid' });
    device.requestInbox(request_id);
    const entry = await device.receiveItem(
      'approval',
      (e) => e.request_id === request_id && e.truncated !== true,
    );
    expect(device.digestOf('approval', entry)).toBe(digest);
    expect(await device.answer(device.response('approval', entry, APPROVED))).toMatchObject({
      status: 'applied',
    });
    expect(await Promise.race([first, second])).toMatchObject({ status: 'approved', requestId: request_id });
  });

  it('can be rejected, always', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.requestApproval(long(500_000));
    const entry = await device.receiveItem('approval');
    expect(entry.truncated).toBe(true);
    const receipt = receiptWith(device, entry, { itemDigest: String(entry.digest) });
    expect(await device.answer(device.response('approval', entry, APPROVED, { receipt }))).toMatchObject({
      status: 'invalid',
    });
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await outcome).status).toBe('rejected');
  });
});

describe('shown from its summary alone', () => {
  it.each([
    ['low', 'applied'],
    ['normal', 'applied'],
    ['high', 'invalid'],
  ] as const)('an approval of %s risk is %s', async (risk, status) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, { ...WRITE, risk });
    const receipt = receiptWith(device, entry, { shown: 'summary' });
    expect(await device.answer(device.response('approval', entry, APPROVED, { receipt }))).toMatchObject({
      status,
    });
    if (status === 'invalid')
      await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
  });
});
