/** What is shown when the app cannot open at all. */
import { CountersignError } from '@countersign/protocol';
import { t } from '../i18n/i18n.js';

export function Trouble({ error }: { error: unknown }) {
  const reason = error instanceof CountersignError ? error.message : t('trouble.storage');
  return (
    <main class="trouble">
      <h1>{t('trouble.title')}</h1>
      <p>{reason}</p>
    </main>
  );
}
