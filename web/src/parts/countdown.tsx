/** How long an item still counts, in the agent's time (03 §2). */
import type { InboxItem } from '@countersign/client-sdk';
import { useApp } from '../app/use-app.js';
import { timeLeft } from '../i18n/format.js';
import { t } from '../i18n/i18n.js';
import { remainingMs } from '../state/time-left.js';
import { Chip } from './chip.js';

/** From here on a person should hurry. */
const SOON_MS = 5 * 60 * 1000;

export function Countdown({ item }: { item: InboxItem }) {
  const { clock, device } = useApp();
  const left = remainingMs(item, device.inbox.value, clock.now.value);
  if (left <= 0) return <Chip icon="clock">{t('item.expired')}</Chip>;
  return (
    <Chip icon="clock" tone={left < SOON_MS ? 'warn' : undefined}>
      <span class="visually-hidden">{t('item.timeLeft')}</span>
      <time>{timeLeft(left)}</time>
    </Chip>
  );
}
