/** What a person must know before reading on: parts missing, altered, unreadable, an answer that came back. */
import type { InboxItem } from '@countersign/client-sdk';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { answerLine } from '../../parts/answer-line.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';

export function ItemNotices({ item }: { item: InboxItem }) {
  return (
    <div class="item-notices">
      {item.state !== 'answered' && item.answer !== undefined && (
        <Notice tone="warn" live>
          {answerLine(item.answer)}
        </Notice>
      )}
      {item.state === 'unreadable' && <Notice tone="warn">{t('item.unreadableText')}</Notice>}
      {item.state === 'open' && !item.digestMatches && <Notice tone="no">{t('item.altered')}</Notice>}
      {(item.state === 'waiting' || (item.state === 'open' && !item.whole)) && <Loading item={item} />}
    </div>
  );
}

/** Asks for the whole item as soon as it is opened; if the agent is away, on tap. */
function Loading({ item }: { item: InboxItem }) {
  const { device } = useApp();
  const [state, setState] = useState<'asking' | 'failed'>('asking');
  const load = () => {
    setState('asking');
    device.client.load(item).then(
      (found) => found !== undefined && !(found.whole && found.state === 'open') && setState('failed'),
      () => setState('failed'),
    );
  };
  useEffect(load, [item.requestId]);
  if (state === 'asking') {
    return (
      <Notice icon="clock" live>
        {t('item.loading')}
      </Notice>
    );
  }
  return (
    <Notice tone="warn" live>
      <span>{item.state === 'waiting' ? t('item.agentSilent') : t('item.partial')}</span>
      <Button kind="plain" onClick={load}>
        {t('tryAgain')}
      </Button>
    </Notice>
  );
}
