/** A time where the person is, and as it was sent. */
import { t } from '../../i18n/i18n.js';
import type { BlockProps } from '../block.types.js';
import { localTime } from './local-time.js';

export function DatetimeValue({ block, texts }: BlockProps) {
  const local = texts.hides(block.value) ? undefined : localTime(block.value);
  const original = texts.show(block.value);
  if (local === undefined) return <span class="value-text">{original}</span>;
  return (
    <>
      <span class="value-text">{local}</span>
      <p class="small soft">
        {t('block.original')} <code>{original}</code>
      </p>
    </>
  );
}
