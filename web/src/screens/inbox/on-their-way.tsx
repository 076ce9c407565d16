/** Answers given here that the agent has not confirmed. */
import type { InboxItem } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { t } from '../../i18n/i18n.js';
import { answerLine } from '../../parts/answer-line.js';
import { Notice } from '../../parts/notice.js';

export function OnTheirWay({ items }: { items: readonly InboxItem[] }) {
  return (
    <section class="sent" aria-label={t('answer.onTheirWay')}>
      {items.map((item) => (
        <Notice key={item.requestId} icon="clock" live>
          <span>
            <strong>{escapeToLine(item.summary)}</strong>
          </span>
          <span>{item.answer && answerLine(item.answer)}</span>
        </Notice>
      ))}
    </section>
  );
}
