/** An inbox with nothing in it: because nothing waits, or because no agent is paired yet. */
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Emblem } from '../../parts/emblem.js';

export function EmptyInbox() {
  const { device } = useApp();
  const known = device.inbox.value.pairings.some(({ snapshotAt }) => snapshotAt !== undefined);
  return (
    <div class="empty" data-testid="empty-inbox">
      <Emblem />
      <h2>{known ? t('inbox.empty') : t('inbox.notYet')}</h2>
      <p>{known ? t('inbox.emptyText') : t('inbox.notYetText')}</p>
    </div>
  );
}

export function Welcome() {
  const { route } = useApp();
  return (
    <div class="screen">
      <div class="empty" data-testid="welcome">
        <Emblem />
        <h1>{t('welcome.title')}</h1>
        <p>{t('welcome.text')}</p>
        <Button kind="main" icon="link" onClick={() => route.go({ screen: 'pair' })}>
          {t('pair.start')}
        </Button>
      </div>
    </div>
  );
}
