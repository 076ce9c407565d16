/**
 * What every Notifier must do, whichever provider it reaches. A new one runs this suite from a `.test.ts` of its own
 * with a scene that plays the provider.
 */
import type { Notifier, Push, PushOutcome, PushTarget } from '@countersign/server/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pushTo } from '../support/push/push-to.js';

/** How the provider treats the coming requests. */
export type Fault =
  /** This device is gone for good. */
  | { readonly kind: 'dead' }
  /** Not now; `retryAfterSeconds` when the provider says so. */
  | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'server_fault' }
  | { readonly kind: 'config' }
  | { readonly kind: 'bad_request' }
  | { readonly kind: 'too_large' }
  /** The connection ends without an answer. */
  | { readonly kind: 'disconnect' }
  /** No answer ever comes. */
  | { readonly kind: 'silence' };

export interface NotifierScene {
  readonly notifier: Notifier;
  /** A device of its own each time, that the provider knows. */
  device(): PushTarget;
  fault(fault: Fault): void;
  /** Requests are taken and not answered until the function is called. */
  hold(): () => void;
  /** Pushes the provider has taken so far. */
  accepted(): number;
  /** Requests that have reached the provider so far. */
  requests(): number;
  /** Resolves when so many requests have reached the provider. */
  reached(requests: number): Promise<void>;
  /** Moves the time of the notifier. */
  advance(ms: number): void;
  close(): Promise<void>;
}

/** A word, nothing that a stranger could have written. */
const REASON = /^\w{2,40}$/;
/** More than any deadline and less than the time until a clock-bound credential ends. */
const PAST_DEADLINE_MS = 15_000;

export function notifierConformance(name: string, open: () => Promise<NotifierScene>): void {
  describe(`a ${name} notifier`, () => {
    let scene: NotifierScene;

    beforeEach(async () => {
      scene = await open();
    });
    afterEach(async () => {
      await scene.notifier.close();
      await scene.close();
    });

    const send = (change: Partial<Push> = {}): Promise<PushOutcome> =>
      scene.notifier.send(pushTo(scene.device(), change));
    const sendUnder = (fault: Fault): Promise<PushOutcome> => {
      scene.fault(fault);
      return send();
    };

    it.each(['alert', 'replace'] as const)('is accepted with content, as %s', async (intent) => {
      expect(await send({ intent })).toMatchObject({ outcome: 'accepted' });
      expect(scene.accepted()).toBe(1);
    });

    it('is accepted as a wake, and under a handle', async () => {
      const handle = { handle: new Uint8Array(16).fill(9) };
      expect(await send({ content: { kind: 'wake' } })).toMatchObject({ outcome: 'accepted' });
      expect(await send({ address: handle })).toMatchObject({ outcome: 'accepted' });
      expect(await send({ address: handle, content: { kind: 'wake' } })).toMatchObject({
        outcome: 'accepted',
      });
    });

    it('says that a device is gone', async () => {
      const outcome = await sendUnder({ kind: 'dead' });
      expect(outcome).toEqual({
        outcome: 'dead',
        reason: expect.stringMatching(REASON),
        ...sinceOf(outcome),
      });
    });

    it('waits as long as the provider asks', async () => {
      const outcome = await sendUnder({ kind: 'throttled', retryAfterSeconds: 900 });
      expect(outcome).toMatchObject({ outcome: 'retry', afterMs: 900_000 });
    });

    it('has a floor of its own when the provider names no time', async () => {
      expect(await sendUnder({ kind: 'throttled' })).toMatchObject({ outcome: 'retry', afterMs: 60_000 });
      expect(await sendUnder({ kind: 'server_fault' })).toMatchObject({ outcome: 'retry', afterMs: 10_000 });
    });

    it('tries once, whatever its library would like', async () => {
      await sendUnder({ kind: 'server_fault' });
      await send();
      expect(scene.accepted()).toBe(1);
    });

    it.each(['config', 'bad_request'] as const)('tells %s from the device', async (kind) => {
      const outcome = await sendUnder({ kind });
      expect(outcome).toMatchObject({ outcome: kind, reason: expect.stringMatching(REASON) });
    });

    it('says what is too large, for the provider and before sending', async () => {
      expect(await sendUnder({ kind: 'too_large' })).toEqual({ outcome: 'too_large' });
      const content = {
        kind: 'content',
        nonce: new Uint8Array(12),
        ciphertext: new Uint8Array(2_626),
      } as const;
      expect(await send({ content })).toEqual({ outcome: 'too_large' });
      expect(scene.accepted()).toBe(0);
    });

    it('does not know what became of a push whose connection ended', async () => {
      expect(await sendUnder({ kind: 'disconnect' })).toMatchObject({ outcome: 'unknown' });
      expect(await send()).toMatchObject({ outcome: 'accepted' });
    });

    it('does not wait for ever', async () => {
      scene.fault({ kind: 'silence' });
      const sending = send();
      await scene.reached(1);
      scene.advance(PAST_DEADLINE_MS);
      expect(await sending).toEqual({ outcome: 'unknown', reason: 'timeout' });
    });

    it('keeps to its cap, and sends the rest when there is room', async () => {
      // Some providers take one at a time until they have seen that the sender is good.
      await send();
      const release = scene.hold();
      const sending = Array.from({ length: scene.notifier.maxPerGroup + 1 }, () => send());
      await scene.reached(1 + scene.notifier.maxPerGroup);
      expect(scene.requests()).toBe(1 + scene.notifier.maxPerGroup);
      release();
      const outcomes = await Promise.all(sending);
      expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(
        scene.notifier.maxPerGroup + 1,
      );
    });

    it('ends what is in flight when it is closed, and takes no more', async () => {
      scene.fault({ kind: 'silence' });
      const sending = send();
      await scene.reached(1);
      const closing = scene.notifier.close();
      scene.advance(PAST_DEADLINE_MS);
      expect(await sending).toMatchObject({ outcome: 'unknown' });
      await closing;
      expect(await send()).toEqual({ outcome: 'retry', reason: 'closing' });
    });

    it('refuses what is no token at all', async () => {
      for (const token of ['', '\u{d800}', '{"__proto__":1}', 'x'.repeat(5_000), '../../3/device']) {
        expect(await scene.notifier.checkToken({ token })).not.toBe('ok');
        expect(await scene.notifier.send(pushTo({ token }))).toMatchObject({ outcome: 'bad_request' });
      }
      expect(scene.accepted()).toBe(0);
    });

    it('knows its own tokens, and names their group without them', async () => {
      const target = scene.device();
      expect(await scene.notifier.checkToken(target)).toBe('ok');
      expect(scene.notifier.groupOf(target)).toBe(scene.notifier.groupOf(scene.device()));
      expect(scene.notifier.groupOf(target)).not.toContain(target.token);
    });
  });
}

/** Only some providers tell since when. */
function sinceOf(outcome: PushOutcome): object {
  return outcome.outcome === 'dead' && outcome.since !== undefined ? { since: outcome.since } : {};
}
