/** An approval: everything the call would do, then the choice. */
import type { InboxItem } from '@countersign/client-sdk';
import { jsonText } from '@countersign/protocol/blocks';
import { isJsonObject } from '@countersign/protocol/payloads';
import { JsonText } from '../../blocks/json/json-value.js';
import { Monospace } from '../../blocks/monospace.js';
import { ViewBlocks } from '../../blocks/view-blocks.js';
import { t } from '../../i18n/i18n.js';
import { Fold } from '../../parts/fold.js';
import { AfterAnswer } from './after-answer.js';
import { ApprovalBar } from './approval-bar.js';
import { useSeenToEnd } from './use-seen-to-end.js';
import { useTexts } from './use-summary.js';

export function ApprovalItem({ item }: { item: InboxItem }) {
  const { end, seen } = useSeenToEnd();
  return (
    <>
      <ApprovalContent item={item} />
      <div ref={end} class="item-end" />
      {item.state === 'answered' ? <AfterAnswer item={item} /> : <ApprovalBar item={item} seenToEnd={seen} />}
    </>
  );
}

function ApprovalContent({ item }: { item: InboxItem }) {
  const { entry, state } = item;
  const { view, texts } = useTexts(item);
  if (state === 'waiting') return null;
  if (state === 'unreadable') return <Monospace text={texts.show(jsonText(entry, true))} wraps />;
  const detail = typeof entry.detail === 'string' ? entry.detail : undefined;
  return (
    <>
      {view !== undefined && (
        <section class="panel" aria-label={t('item.view')}>
          <ViewBlocks view={view} texts={texts} />
        </section>
      )}
      {/* Arguments that no parser could take are shown as they are, always (02 §4). */}
      {typeof entry.arguments_text === 'string' && (
        <section>
          <h2>{t('item.argumentsText')}</h2>
          <Monospace text={texts.show(entry.arguments_text)} wraps />
        </section>
      )}
      <Fold label={t('item.more')}>
        <div class="item-more">
          <p class="small soft">
            {t('item.tool')} <code>{texts.line(String(entry.tool_name))}</code>
          </p>
          {detail !== undefined && <p class="value-text">{texts.show(detail)}</p>}
          {isJsonObject(entry.arguments) && <JsonText text={jsonText(entry.arguments)} texts={texts} />}
        </div>
      </Fold>
    </>
  );
}
