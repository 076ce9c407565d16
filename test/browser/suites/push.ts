/** Push, from the agent through relay and gateway to the service worker, and back by a tap. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { vapidPair } from '../../support/push/notifiers.js';
import { PushBed, type PushPhone } from '../kit/push-bed.js';
import type { Stage } from '../kit/stage.js';

const call = (subject: string, more: object = {}) => ({
  toolName: 'send_email',
  arguments: { to: 'ann@example.org', subject, body: 'Hello' },
  ...more,
});

export function push(stage: () => Stage): void {
  const held: { bed?: PushBed; phone?: PushPhone } = {};
  const bed = () => held.bed as PushBed;
  const phone = () => held.phone as PushPhone;
  const inWorker = async <T>(code: string) => (await phone().worker()).evaluate(code) as Promise<T>;

  beforeAll(async () => {
    held.bed = await PushBed.open(stage());
    held.phone = await bed().phone();
    await phone().clear();
  }, 60_000);
  afterEach(async () => {
    await bed().agent.clear();
    // Who asked for it is told that it ended; that is no push of the next test.
    await phone().clear();
  });
  afterAll(() => held.bed?.close());

  it('a closed app is told title and summary; a withdrawal takes its place without buttons', async () => {
    const asked = await bed().agent.ask(call('Invoice 7'));
    const { sealed, ...shown } = await phone().told('Invoice 7');
    expect(sealed).not.toContain('Invoice');
    expect(shown).toMatchObject({ title: 'Robot', buttons: ['approve', 'reject'], silent: false });
    expect(await inWorker('badges.at(-1)')).toBe(1);
    await asked.withdraw();
    await phone().told('cancelled');
    expect(await phone().screenSays('cancelled')).toMatchObject({
      tag: shown.tag,
      buttons: [],
      silent: true,
    });
    expect(await phone().screen()).toHaveLength(1);
    expect(await inWorker('badges.at(-1)')).toBe(0);
  });

  it('a yes on a notification reaches the agent, by the summary alone', async () => {
    const asked = await bed().agent.ask(call('Invoice 8'));
    const { tag } = await phone().told('Invoice 8');
    await phone().tap(tag, 'approve');
    const { status, receipt } = await asked.outcome;
    expect({ status, shown: (receipt as { shown?: string }).shown }).toEqual({
      status: 'approved',
      shown: 'summary',
    });
    expect(await phone().screenSays('Approved.')).toMatchObject({ tag, buttons: [], silent: true });
    const app = await phone().open('#/history');
    await app.getByText('Invoice 8').waitFor();
  });

  it('high risk is not decided on a notification', async () => {
    const asked = await bed().agent.ask(call('Invoice 9', { risk: 'high' }));
    const { tag } = await phone().told('Invoice 9');
    await phone().tap(tag, 'approve');
    await phone().screenSays('has to be looked at first');
    await asked.withdraw();
    expect(await asked.outcome).toMatchObject({ status: 'cancelled' });
  });

  it('a tap opens the item, in the app that is open or in a new one', async () => {
    const asked = await bed().agent.ask(call('Invoice 10'));
    const { tag } = await phone().told('Invoice 10');
    await phone().tap(tag);
    await expect.poll(() => inWorker<string>('opened.at(-1)')).toContain(`${asked.requestId}`);
    const opened = await inWorker<string>('opened.at(-1)');
    const app = await phone().open();
    await app.goto(opened);
    await app.getByTestId('approve').waitFor();
    await app.goto(`${bed().origin}/app/#/settings`);
    await phone().deliver('{}');
    const { tag: general } = await phone().screenSays('Open the app');
    await phone().tap(general);
    await app.getByTestId('card').waitFor();
  });

  it('a yes on a notification is given by the page that is open, and the notification says so', async () => {
    const asked = await bed().agent.ask(call('Invoice 11'));
    const { tag } = await phone().told('Invoice 11');
    const app = await phone().open();
    await app.getByTestId('card').waitFor();
    await phone().tap(tag, 'reject');
    expect(await asked.outcome).toMatchObject({ status: 'rejected' });
    await app.getByTestId('empty-inbox').waitFor();
    expect(await phone().screenSays('Rejected.')).toMatchObject({ tag, buttons: [] });
  });

  it('team113/messenger#1511, ibis-coordination/Harmonic#399, stackernews#411: every push shows something, and never old text with buttons', async () => {
    const asked = await bed().agent.ask(call('Invoice 12'));
    const { sealed, tag } = await phone().told('Invoice 12');
    await phone().deliver(sealed);
    expect(await phone().screenSays('Invoice 12')).toMatchObject({ silent: true });
    await asked.withdraw();
    await phone().told('cancelled\nSend email to ann@example.org: Invoice 12');
    // The first one again, late.
    await phone().deliver(sealed);
    expect((await phone().screen()).find((one) => one.tag === tag)).toMatchObject({ buttons: [] });
    const shownBefore = await inWorker<number>('shown');
    const unreadable = [
      '',
      'no json',
      '{"ns":"00","wake":true}',
      sealed.replace('"c":"', '"c":"AA'),
      'x'.repeat(3_900),
    ];
    for (const data of unreadable) {
      await phone().deliver(data);
      expect(await phone().screenSays('Open the app to see')).toMatchObject({
        buttons: [],
        title: 'Countersign',
      });
    }
    expect(await inWorker<number>('shown')).toBe(shownBefore + unreadable.length);
  });

  it('a hidden tab shows what arrives by itself, so that no push is needed', async () => {
    const app = await phone().open();
    await app.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    const before = phone().pushCount;
    await bed().agent.ask(call('Invoice 13'));
    expect(await phone().screenSays('Invoice 13')).toMatchObject({ buttons: ['approve', 'reject'] });
    expect(phone().pushCount).toBe(before);
  });

  it('w3c/push-api#325, web-push#387: a page that loads with another subscription tells the relay', async () => {
    const old = phone().endpoint;
    phone().forgetSubscription();
    await phone().open();
    await expect.poll(() => phone().endpoint).not.toBe(old);
    await phone().registered();
    // It is told at once where the page stays, and at the next login in any case.
    await phone().open();
    await phone().clear();
    await bed().agent.ask(call('Invoice 14'));
    await phone().told('Invoice 14');
  });

  it('a relay with another key finds the open app subscribing anew', async () => {
    await phone().open();
    await phone().registered();
    const { privateKey, publicKey } = vapidPair();
    await bed().restart({ vapidPrivateKeys: [privateKey.export({ format: 'jwk' }).d as string] });
    await expect.poll(() => phone().keys.at(-1), { timeout: 15_000 }).toBe(publicKey);
  });

  it('the app goes on by itself after its relay was started anew', async () => {
    const app = await phone().open();
    await bed().restart();
    await bed().agent.ask(call('Invoice 15'));
    await app.getByTestId('card').filter({ hasText: 'Invoice 15' }).waitFor({ timeout: 15_000 });
  });
}
