/** What a tab shows once another one works. */
import { t } from '../i18n/i18n.js';
import { Button } from '../parts/button.js';
import { Emblem } from '../parts/emblem.js';
import type { Tabs } from '../state/tabs.js';

export function HandedOver({ tabs }: { tabs: Tabs }) {
  const useHere = () => {
    tabs.takeOver();
    location.reload();
  };
  return (
    <main class="empty" data-testid="handed-over">
      <Emblem />
      <p>{t('tab.elsewhere')}</p>
      <Button kind="main" onClick={useHere}>
        {t('tab.useHere')}
      </Button>
    </main>
  );
}
