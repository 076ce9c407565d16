/** What can be taken out of the app, and what it is. */
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { APP_VERSION } from '../../app/version.js';
import { Monospace } from '../../blocks/monospace.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { InstallHint } from '../../parts/install-hint.js';
import { saveFile } from '../../parts/save-file.js';
import { Sheet } from '../../parts/sheet.js';
import { diagnosticsText } from '../../state/diagnostics.js';
import { exportText } from '../../state/history.js';
import { Section } from './section.js';

export function DataSection() {
  const app = useApp();
  const [report, setReport] = useState<string>();
  const entries = app.history.entries.value;
  const look = async () => setReport(await diagnose(app));
  return (
    <Section title={t('data.title')}>
      <div class="setting">
        <span>{t('data.history')}</span>
        <Button
          icon="download"
          off={entries.length === 0}
          onClick={() => saveFile('countersign-history.json', exportText(entries))}
        >
          {t('history.export')}
        </Button>
      </div>
      <div class="setting">
        <div>
          {t('data.diagnostics')}
          <p class="small soft">{t('data.diagnosticsText')}</p>
        </div>
        <Button onClick={() => void look()}>{t('data.look')}</Button>
      </div>
      <InstallHint />
      <p class="setting small soft">Countersign {APP_VERSION}</p>
      {report !== undefined && (
        <Sheet title={t('data.diagnostics')} onClose={() => setReport(undefined)}>
          <Monospace text={report} copy={report} wraps />
        </Sheet>
      )}
    </Section>
  );
}

async function diagnose({ device, history, settings, lock }: ReturnType<typeof useApp>): Promise<string> {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined);
  return diagnosticsText(device.inbox.value, history.entries.value, settings.values.value, {
    appVersion: APP_VERSION,
    userAgent: navigator.userAgent,
    online: navigator.onLine,
    standalone: matchMedia('(display-mode: standalone)').matches,
    serviceWorker: navigator.serviceWorker?.controller != null,
    notifications: typeof Notification === 'undefined' ? 'unsupported' : Notification.permission,
    storedBytes: estimate?.usage,
    isLockSetUp: lock.isSetUp.value,
    now: Date.now(),
  });
}
