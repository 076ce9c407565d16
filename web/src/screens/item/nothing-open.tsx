/** The right column of a wide page while nothing is chosen. */
import { t } from '../../i18n/i18n.js';
import { Emblem } from '../../parts/emblem.js';

export function NothingOpen() {
  return (
    <div class="empty">
      <Emblem />
      <p>{t('item.choose')}</p>
    </div>
  );
}
