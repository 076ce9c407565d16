/** What became of a push, in a sentence for the person at the agent. Must not know rows. */
import type { PushOutcome } from '@countersign/protocol';

const WORDS: Readonly<Record<PushOutcome, (device: string) => string>> = {
  accepted: (device) => `Push to ${device}: taken by its push service.`,
  superseded: (device) => `Push to ${device}: a newer message took its place before it went out.`,
  expired: (device) => `No push to ${device}: its time was over before it could go out.`,
  no_device: (device) => `No push to ${device}: the relay does not know this device. Pair it again.`,
  no_token: (device) =>
    `No push to ${device}: it has registered none. It shows what waits while its app is open.`,
  refused: (device) => `No push to ${device}: its push service refuses it.`,
  failed: (device) => `No push to ${device}: the relay could not send it.`,
};

/** Outcomes that leave a person without a push they may be waiting for. */
const MISSED: ReadonlySet<PushOutcome> = new Set(['expired', 'no_device', 'no_token', 'refused', 'failed']);

export function pushWords(outcome: PushOutcome, detail: string, device: string): string {
  const words = WORDS[outcome](device);
  return detail === '' ? words : `${words.slice(0, -1)} (${detail}).`;
}

export function isMissed(outcome: PushOutcome): boolean {
  return MISSED.has(outcome);
}
