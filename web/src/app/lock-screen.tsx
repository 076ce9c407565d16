/** What stands in front of a locked app. */
import { useState } from 'preact/hooks';
import { t } from '../i18n/i18n.js';
import { Button } from '../parts/button.js';
import { Emblem } from '../parts/emblem.js';
import { useApp } from './use-app.js';

export function LockScreen() {
  const { lock } = useApp();
  const [failed, setFailed] = useState(false);
  const unlock = async () => setFailed(!(await lock.unlock()));
  return (
    <main class="empty" data-testid="locked">
      <Emblem />
      <h1>{t('lock.locked')}</h1>
      {failed && <p role="status">{t('lock.failed')}</p>}
      <Button kind="main" icon="lock" testId="unlock" onClick={() => void unlock()}>
        {t('lock.unlock')}
      </Button>
    </main>
  );
}
