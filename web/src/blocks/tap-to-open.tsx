/** A link that opens nothing by itself: the tap shows its true target, a second act goes there. */
import { useState } from 'preact/hooks';
import { t } from '../i18n/i18n.js';
import { Icon } from '../parts/icon.js';
import { Sheet } from '../parts/sheet.js';

export function TapToOpen({ text, target }: { text: string; target: string | undefined }) {
  const [asking, setAsking] = useState(false);
  if (target === undefined) return <span class="value-text">{text}</span>;
  return (
    <>
      <button type="button" class="value-link" onClick={() => setAsking(true)}>
        {text}
      </button>
      {asking && (
        <Sheet title={t('link.title')} onClose={() => setAsking(false)}>
          <LinkTarget target={target} />
        </Sheet>
      )}
    </>
  );
}

export function LinkTarget({ target }: { target: string }) {
  const url = new URL(target);
  const isWeb = /^https?:$/.test(url.protocol);
  return (
    <>
      {isWeb && (
        <p>
          {t('link.host')} <strong class="link-host">{url.host}</strong>
        </p>
      )}
      <p>
        <code class="value-path">{target}</code>
      </p>
      {url.protocol === 'http:' && <p class="fault">{t('link.plain')}</p>}
      <a class="button" data-kind="main" href={target} target="_blank" rel="noopener noreferrer">
        <Icon name="open" />
        {t('link.open')}
      </a>
    </>
  );
}
