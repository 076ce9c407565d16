/** What an agent tells a relay about pushes, and what it makes of the relay's reports (04 §1, §2). */
import { fromHex, type PushOutcome } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { PushReport } from '../api.js';
import { ALERT_GRACE_MS } from './notifier.js';
import { type PushScene, pushScene, type SceneOptions } from './push.fixtures.js';

let scene: PushScene;
afterEach(() => scene.close());

async function at(options?: SceneOptions): Promise<PushScene> {
  scene = await pushScene(options);
  return scene;
}

/** Asks, and gives the id and the way to withdraw. */
async function asked(summary = 'Deploy to prod', expiresInMs = 60_000) {
  const abort = new AbortController();
  const requestId = await new Promise<string>((onAsked, reject) => {
    const request = { toolName: 'deploy', summary, expiresInMs };
    scene.agent.requestApproval(request, { onAsked, signal: abort.signal }).catch(reject);
  });
  return { requestId, withdraw: () => abort.abort() };
}

describe('the hints of a notification', () => {
  it('are an alert that lives as long as its item, under a name that says nothing of it', async () => {
    await at();
    const { requestId } = await asked();
    scene.time.advance(ALERT_GRACE_MS);
    const { payload, hints } = await scene.next();
    expect(payload).toMatchObject({ request_id: requestId, body: 'Deploy to prod', badge: 1 });
    expect(hints).toMatchObject({ intent: 'alert', ttlMs: BigInt(60_000 - ALERT_GRACE_MS) });
    expect(hints?.collapse).toHaveLength(16);
    expect(Buffer.from(hints?.collapse ?? []).toString('hex')).not.toContain(requestId.slice(5, 21));
  });

  it('of the one that takes its place are a replacement under the same name', async () => {
    await at();
    const { requestId, withdraw } = await asked();
    scene.time.advance(ALERT_GRACE_MS);
    const alert = await scene.next();
    withdraw();
    const { payload, hints } = await scene.next();
    expect(payload).toMatchObject({ replaces: requestId, badge: 0 });
    expect(hints?.intent).toBe('replace');
    expect(hints?.collapse).toEqual(alert.hints?.collapse);
  });

  it('of two items have two names, and so have those of two notes', async () => {
    await at();
    await asked('one');
    await asked('two');
    scene.time.advance(ALERT_GRACE_MS);
    const names = [await scene.next(), await scene.next()].map(({ hints }) => String(hints?.collapse));
    await scene.agent.notify({ title: 'T', body: 'B' });
    await scene.agent.notify({ title: 'T', body: 'B' });
    const notes = [await scene.next(), await scene.next()];
    expect(notes.map(({ hints }) => hints?.intent)).toEqual(['alert', 'alert']);
    expect(new Set([...names, ...notes.map(({ hints }) => String(hints?.collapse))]).size).toBe(4);
  });

  it('do not go to a relay that did not ask for them', async () => {
    await at({ capabilities: ['ref'] });
    await asked();
    scene.time.advance(ALERT_GRACE_MS);
    expect((await scene.next()).hints).toBeUndefined();
  });
});

describe('no notification is sent', () => {
  it('for an item that ends within the grace, nor a replacement of none', async () => {
    await at();
    const { withdraw } = await asked('first');
    scene.time.advance(ALERT_GRACE_MS - 1);
    withdraw();
    scene.time.advance(10_000);
    await asked('second');
    scene.time.advance(ALERT_GRACE_MS);
    expect((await scene.next()).payload).toMatchObject({ body: 'second' });
  });

  it('for an item whose time is over', async () => {
    await at();
    await asked('first', 5_000);
    // As after a sleep of the machine: grace and life are over at once.
    scene.time.sleep(5_000);
    scene.time.advance(0);
    await asked('second');
    scene.time.advance(ALERT_GRACE_MS);
    expect((await scene.next()).payload).toMatchObject({ body: 'second' });
  });

  it('in the place of another to a device that does not know replacements', async () => {
    await at({ supports: [] });
    const { withdraw } = await asked('first');
    scene.time.advance(ALERT_GRACE_MS);
    await scene.next();
    withdraw();
    await asked('second');
    scene.time.advance(ALERT_GRACE_MS);
    expect((await scene.next()).payload).toMatchObject({ body: 'second' });
  });
});

describe('a summary that is too long', () => {
  it('is shortened, and the log says so', async () => {
    await at();
    await asked('x'.repeat(120));
    expect(scene.log).not.toContain('summary_shortened');
    await asked('x'.repeat(121));
    expect(scene.log).toContain('summary_shortened');
  });
});

describe('a report', () => {
  const next = () =>
    new Promise<PushReport>((resolve) => {
      const off = scene.agent.on('push', (report) => {
        off();
        resolve(report);
      });
    });

  const say = (ref: bigint, outcome: string, detail = '', device = scene.device) =>
    scene.side.send({
      type: 'push_report',
      ref,
      peer: fromHex(device, 32) ?? new Uint8Array(),
      outcome,
      detail,
    });

  async function alerted() {
    const { requestId } = await asked();
    scene.time.advance(ALERT_GRACE_MS);
    return { requestId, ref: (await scene.next()).message.ref ?? 0n };
  }

  it.each<[PushOutcome, string, boolean, string]>([
    ['accepted', 'content', false, 'Push to Phone: taken by its push service.'],
    ['superseded', 'received', false, 'No push to Phone: it has the message.'],
    [
      'no_token',
      'never_registered',
      true,
      'No push to Phone: it has registered none. It shows what waits while its app is open.',
    ],
    ['no_token', 'no_provider', true, 'No push to Phone: the relay has no push service for it.'],
    [
      'no_token',
      'Unregistered',
      true,
      'No push to Phone: its push service does not know it any more. Open its app once. (Unregistered)',
    ],
    ['failed', 'timeout', true, 'No push to Phone: the relay could not send it. (timeout)'],
  ])('of %s (%s) is told and kept with its item', async (outcome, detail, missed, text) => {
    await at();
    const { requestId, ref } = await alerted();
    const told = next();
    say(ref, outcome, detail);
    const expected = { deviceId: scene.device, device: 'Phone', requestId, outcome, missed, text };
    expect(await told).toMatchObject(expected);
    expect((await scene.agent.pending())[0]?.pushes).toMatchObject([expected]);
  });

  it('comes to the next process too', async () => {
    await at();
    await scene.agent.notify({ title: 'T', body: 'B' });
    const ref = (await scene.next()).message.ref ?? 0n;
    await scene.restart();
    const told = next();
    say(ref, 'expired');
    expect(await told).toMatchObject({ outcome: 'expired', missed: true });
    expect(await told).not.toHaveProperty('requestId');
  });

  it('of what was never sent, or to another device, or said before, is nothing', async () => {
    await at();
    const { ref } = await alerted();
    const heard: string[] = [];
    scene.agent.on('push', ({ outcome }) => heard.push(outcome));
    say(ref + 1n, 'failed');
    say(ref, 'failed', '', 'ab'.repeat(32));
    say(ref, 'no_token');
    say(ref, 'no_token');
    say(ref, 'accepted');
    await scene.side.proof();
    expect(heard).toEqual(['no_token', 'accepted']);
  });
});
