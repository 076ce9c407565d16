/** Answers our agent must not act on (03 §5), sent by the independent device; each has its ack and changes nothing. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { identityOf, nonceOf } from './peer/crypto.js';
import type { IndependentDevice } from './peer/device.js';
import { type Json, type Kind, receiptOf } from './peer/items.js';
import { agentWithDevice, ask, pairDevice, WRITE } from './peer/sdk-agent.js';

const APPROVED = { decision: 'approved' };

/** A receipt over `answer` (an approval unless told) in which single facts are wrong. */
function receiptWith(device: IndependentDevice, entry: Json, change: Json, signer = device.identity): Json {
  const request_id = String(entry['request_id']);
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
      (d, e) => receiptWith(d, e, { answer: { request_id: e['request_id'], decision: 'rejected' } }),
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
    expect(await device.answer(bad)).toMatchObject({ ref_id: bad['id'], status: 'invalid' });
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

describe('an option', () => {
  it.each([
    ['a bypass', { bypass_secs: 900 }],
    ['a bypass for the session', { bypass_secs: 0 }],
    ['a rule', { rule_id: 'r1' }],
    ['an edit', { modified_arguments: { path: '/etc' } }],
  ])('that was not offered (%s) is refused', async (_what, option) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, { ...WRITE, choices: ['approve', 'reject'] });
    expect(entry['choices']).toEqual(['approve', 'reject']);
    const answer = device.response('approval', entry, { ...APPROVED, ...option });
    expect(await device.answer(answer)).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('approval', entry, APPROVED));
    expect(await outcome).toMatchObject({ status: 'approved', scope: 'once', modified: false });
  });

  it.each([[-1], [0.5], [86_401], [null], ['900'], [2 ** 60]])(
    'of bypass_secs %s is invalid',
    async (bypass_secs) => {
      const { agent, device } = await agentWithDevice();
      const choices = ['approve', 'approve_for', 'approve_session', 'reject'] as const;
      const { outcome, entry } = await ask(agent, device, {
        ...WRITE,
        choices: [...choices],
        sessionId: 's',
      });
      const answer = device.response('approval', entry, { ...APPROVED, bypass_secs });
      expect(await device.answer(answer)).toMatchObject({ status: 'invalid' });
      await device.answer(device.response('approval', entry, { decision: 'rejected' }));
      expect((await outcome).status).toBe('rejected');
    },
  );

  it('above the ceiling is lowered to it, and the ack says so', async () => {
    const { agent, device } = await agentWithDevice({ bypassCeilingSecs: 60 });
    const { outcome, entry } = await ask(agent, device, {
      ...WRITE,
      choices: ['approve', 'approve_for', 'reject'],
    });
    const answer = device.response('approval', entry, { ...APPROVED, bypass_secs: 900 });
    expect(await device.answer(answer)).toMatchObject({ status: 'applied', bypass_secs: 60 });
    expect(await outcome).toMatchObject({ status: 'approved', scope: { forSecs: 60 } });
  });

  it('given is listed, spares the next question and can be ended', async () => {
    const { agent, device } = await agentWithDevice();
    const request = { ...WRITE, choices: ['approve', 'approve_for', 'reject'] as const };
    const { outcome, entry } = await ask(agent, device, { ...request, choices: [...request.choices] });
    device.send(device.response('approval', entry, { ...APPROVED, bypass_secs: 900 }), false);
    const listed = await device.receive(
      'inbox_update',
      (u) => Array.isArray(u['bypasses']) && u['bypasses'].length > 0,
    );
    expect((await outcome).status).toBe('approved');
    const [bypass] = listed['bypasses'] as Json[];
    expect(bypass).toMatchObject({ tool_name: 'write_file', id: expect.any(String), by: expect.any(String) });
    expect(Number(bypass?.['until'])).toBeGreaterThan(Date.now() + 890_000);
    expect((await agent.requestApproval(WRITE)).status).toBe('approved');
    const end = device.envelope('bypass_end', { bypass_id: bypass?.['id'] });
    expect(await device.answer(end)).toMatchObject({ ref_id: end['id'] });
    const { entry: asked } = await ask(agent, device);
    await device.answer(device.response('approval', asked, { decision: 'rejected' }));
  });
});

describe('an item the device never had whole', () => {
  const long = (size: number) => ({ toolName: 'write_file', arguments: { text: 'x'.repeat(size) } });

  it('cannot be approved until it has been fetched', async () => {
    const { agent, device } = await agentWithDevice();
    const first = agent.requestApproval(long(300_000));
    await device.receive('inbox_update', (u) => u['badge'] === 1);
    const second = agent.requestApproval(long(310_000));
    const snapshot = await device.receive('inbox_update', (u) => u['badge'] === 2);
    const cut = (snapshot['approvals'] as Json[])[1] as Json;
    expect(cut['truncated']).toBe(true);
    const digest = String(cut['digest']);
    const request_id = String(cut['request_id']);
    const blind = receiptWith(device, cut, { itemDigest: digest });
    const approval = device.response('approval', cut, APPROVED, { receipt: blind });
    expect(await device.answer(approval)).toMatchObject({ status: 'invalid' });
    device.requestInbox(request_id);
    const entry = await device.receiveItem(
      'approval',
      (e) => e['request_id'] === request_id && e['truncated'] !== true,
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
    expect(entry['truncated']).toBe(true);
    const receipt = receiptWith(device, entry, { itemDigest: String(entry['digest']) });
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

describe('an answer', () => {
  it('sent twice gets its first ack again; another to the same item is already_decided', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, APPROVED);
    const first = await device.answer(response);
    await outcome;
    const again = await device.answer(response);
    expect([again['status'], again['ref_id']]).toEqual([first['status'], first['ref_id']]);
    const late = await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect(late).toMatchObject({ status: 'already_decided', outcome: 'approved', by: expect.any(String) });
  });

  it('of a second device comes too late, and says who decided', async () => {
    const { agent, device } = await agentWithDevice();
    const other = await pairDevice(agent);
    const { outcome, entry } = await ask(agent, device);
    const same = await other.receiveItem('approval');
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await outcome).status).toBe('rejected');
    const ack = await other.answer(other.response('approval', same, APPROVED));
    expect(ack).toMatchObject({ status: 'already_decided', outcome: 'rejected' });
  });

  it('to an item that expired is told so', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device, { ...WRITE, expiresInMs: 5_000 });
    expect(await outcome).toMatchObject({ status: 'expired' });
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'expired' });
  });

  it('to an item that was withdrawn changes nothing', async () => {
    const { agent, device } = await agentWithDevice();
    const abort = new AbortController();
    const { outcome, entry } = await ask(agent, device, WRITE, { signal: abort.signal });
    abort.abort();
    await outcome;
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'already_decided', outcome: 'cancelled' });
  });

  it('to nothing known is unknown', async () => {
    const { device } = await agentWithDevice();
    const entry = { request_id: 'appr_nothing', summary: '' };
    expect(await device.answer(device.response('approval', entry, APPROVED))).toMatchObject({
      status: 'unknown',
    });
  });

  it('of another kind than its item is refused', async () => {
    const { agent, device } = await agentWithDevice();
    const outcome = agent.askClarification({ question: 'Which?' });
    const entry = await device.receiveItem('clarification');
    const ack = await device.answer(device.response('approval', entry, APPROVED));
    expect(ack).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('clarification', entry, { answer: 'this' }));
    expect(await outcome).toMatchObject({ status: 'answered', answer: 'this' });
  });

  it('with a decision of its own making is invalid', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ack = await device.answer(device.response('approval', entry, { decision: 'maybe' }));
    expect(ack).toMatchObject({ status: 'invalid' });
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
  });

  it.each([-1, 1])('from a clock %i day off applies', async (days) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ts = Date.now() + days * 86_400_000;
    expect(await device.answer(device.response('approval', entry, APPROVED, { ts }))).toMatchObject({
      status: 'applied',
    });
    expect((await outcome).status).toBe('approved');
  });

  it.each([-8, 8])('from a clock %i days off is expired, with the time of the agent', async (days) => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const ts = Date.now() + days * 86_400_000;
    const ack = await device.answer(device.response('approval', entry, APPROVED, { ts }));
    expect(ack).toMatchObject({ status: 'expired' });
    expect(Math.abs(Number(ack['now']) - Date.now())).toBeLessThan(5_000);
    device.send(device.envelope('inbox_request', { ts }), true);
    await device.receiveItem('approval');
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    expect((await outcome).status).toBe('rejected');
  });
});

describe('the channel', () => {
  it('opens what is compressed, either way, and drops what it cannot know', async () => {
    const { device } = await agentWithDevice();
    for (const packing of ['zlib', 'raw-deflate', 'plain', 'padded'] as const) {
      device.send(device.envelope('inbox_request'), true, packing);
      await device.receive('inbox_update');
    }
    device.send(device.envelope('levitate'), true);
    device.send('{"v":1,"kind":', true);
    device.send('[]', true);
    device.send('null', true);
    device.send(device.envelope('inbox_request', { v: 2 }), true);
    device.send(device.envelope('inbox_request'), true);
    await device.receive('inbox_update');
  });

  it('takes no ciphertext twice', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { decision: 'rejected' });
    const frame = { ...device.channel.seal(response), peer: device.invitation.agentEd, live: false };
    device.wire.send('message', frame);
    await outcome;
    device.wire.send('message', frame);
    device.wire.send('message', frame);
    const acks: unknown[] = [];
    const unknown = device.response('approval', { request_id: 'appr_nothing' }, APPROVED);
    device.send(unknown, false);
    await device.receive('ack', ({ ref_id }) => {
      acks.push(ref_id);
      return ref_id === unknown['id'];
    });
    expect(acks).toEqual([response['id'], unknown['id']]);
  });

  it('drops what has the wrong direction, was changed, or is of another pair', async () => {
    const { agent, device } = await agentWithDevice();
    const other = await pairDevice(agent);
    const { outcome, entry } = await ask(agent, device);
    const peer = device.invitation.agentEd;
    const rejection = () => device.response('approval', entry, { decision: 'rejected' });
    const { nonce, ciphertext } = device.channel.seal(rejection());
    const changed = Buffer.from(ciphertext);
    changed[0] = (changed[0] ?? 0) ^ 1;
    device.wire.send('message', { nonce, ciphertext: changed, peer });
    const turned = nonceOf('to-device', nonce.readBigUInt64BE(4));
    device.wire.send('message', { nonce: turned, ciphertext, peer });
    device.wire.send('message', { ...other.channel.seal(rejection()), peer });
    await device.answer(device.response('approval', { request_id: 'appr_nothing' }, APPROVED));
    expect(await agent.pending()).toHaveLength(1);
    device.wire.send('message', { nonce, ciphertext, peer });
    expect((await outcome).status).toBe('rejected');
  });

  it('counts up from the clock, never twice the same', async () => {
    const { agent, device } = await agentWithDevice();
    const { outcome, entry } = await ask(agent, device);
    await device.answer(device.response('approval', entry, { decision: 'rejected' }));
    await outcome;
    const counters = device.channel.opened;
    expect(new Set(counters).size).toBe(counters.length);
    const epoch = BigInt(Math.floor(Date.now() / 1000) - 60) * 2n ** 20n;
    for (const counter of counters) expect(counter).toBeGreaterThan(epoch);
    expect([...counters].sort((a, b) => (a < b ? -1 : 1))).toEqual(counters);
  });
});

describe('an original device', () => {
  it('gets snapshots, notifications and bare acks, nothing else, and is no approver', async () => {
    const { agent } = await agentWithDevice({ confirm: 'yes' });
    const device = await pairDevice(agent, 'original');
    const { outcome, entry } = await ask(agent, device);
    device.send(device.response('approval', entry, APPROVED), false);
    await device.wire.settled();
    device.requestInbox();
    await device.receiveItem('approval', (e) => e['request_id'] === entry['request_id']);
    device.send(device.response('approval', entry, { decision: 'rejected', reason: 'no' }), false);
    expect(await outcome).toMatchObject({ status: 'rejected', reason: 'no', by: { deviceId: device.id } });
  });

  it('named by the policy approves, for 15 minutes too', async () => {
    const seed = randomBytes(32);
    const id = identityOf(seed).ed25519.toString('hex');
    const { agent } = await agentWithDevice({ confirm: 'yes', receipts: { optionalFor: [id] } });
    const device = await pairDevice(agent, 'original', seed);
    const { outcome, entry } = await ask(agent, device);
    const response = device.response('approval', entry, { ...APPROVED, bypass_secs: 900 });
    device.send(response, false);
    const ack = await device.receive('ack');
    expect(ack['ref_id']).toBe(response['id']);
    expect(await outcome).toMatchObject({ status: 'approved', scope: { forSecs: 900 } });
  });
});
