/** History of this device. */
import { t } from '../../i18n/i18n.js';

export function HistoryScreen() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t('nav.history')}</h1>
      </header>
    </div>
  );
}
