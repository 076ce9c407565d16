/** What became of a push, in a sentence for the person at the agent. Must not know rows. */
import type { PushOutcome } from '@countersign/protocol';

const WORDS: Readonly<Record<PushOutcome, (device: string) => string>> = {
  accepted: (device) => `Push to ${device}: taken by its push service.`,
  superseded: (device) => `Push to ${device}: another message took its place before it went out.`,
  expired: (device) => `No push to ${device}: its time was over before it could go out.`,
  no_device: (device) => `No push to ${device}: the relay does not know this device. Pair it again.`,
  no_token: (device) =>
    `No push to ${device}: its push service does not know it any more. Open its app once.`,
  refused: (device) => `No push to ${device}: its push service refuses it.`,
  failed: (device) => `No push to ${device}: the relay could not send it.`,
};

/** What a relay's details mean where they say more than the outcome (04 §2). */
const KNOWN: ReadonlyMap<string, (device: string) => string> = new Map([
  ['superseded received', (device) => `No push to ${device}: it has the message.`],
  ['superseded settled', (device) => `No push to ${device}: the item ended before it went out.`],
  [
    'no_token never_registered',
    (device) => `No push to ${device}: it has registered none. It shows what waits while its app is open.`,
  ],
  ['no_token no_provider', (device) => `No push to ${device}: the relay has no push service for it.`],
  ['no_token unknown_app', (device) => `No push to ${device}: the relay does not know its app.`],
  ['no_token stale', (device) => `No push to ${device}: its app was not opened for long. Open it once.`],
]);

/** Outcomes that leave a person without a push they may be waiting for. */
const MISSED: ReadonlySet<PushOutcome> = new Set(['expired', 'no_device', 'no_token', 'refused', 'failed']);

export function pushWords(outcome: PushOutcome, detail: string, device: string): string {
  const known = KNOWN.get(`${outcome} ${detail}`);
  if (known !== undefined) return known(device);
  const words = WORDS[outcome](device);
  // That it was the content or a mere wake matters to nobody at the agent.
  return detail === '' || outcome === 'accepted' ? words : `${words} (${detail})`;
}

export function isMissed(outcome: PushOutcome): boolean {
  return MISSED.has(outcome);
}
