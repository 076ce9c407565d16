/** Settings of this device. */
import { t } from '../../i18n/i18n.js';

export function SettingsScreen() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t('nav.settings')}</h1>
      </header>
    </div>
  );
}
