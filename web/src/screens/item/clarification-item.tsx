/** A question of the agent: suggested answers, and always words of one's own. */
import type { InboxItem } from '@countersign/client-sdk';
import { escapeInvisible } from '@countersign/protocol/blocks';
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { AfterAnswer } from './after-answer.js';
import { useGiving } from './use-giving.js';

export function ClarificationItem({ item }: { item: InboxItem }) {
  const { question, context, suggested_answers: suggested } = item.entry;
  const isLonger = typeof question === 'string' && question !== item.summary;
  return (
    <>
      {isLonger && <p class="value-text item-question">{escapeInvisible(question)}</p>}
      {typeof context === 'string' && (
        <section class="panel item-context">
          <h2 class="small soft">{t('clarification.context')}</h2>
          <p class="value-text">{escapeInvisible(context)}</p>
        </section>
      )}
      {item.state === 'answered' ? (
        <AfterAnswer item={item} />
      ) : (
        <AnswerForm item={item} suggested={Array.isArray(suggested) ? suggested : []} />
      )}
    </>
  );
}

function AnswerForm({ item, suggested }: { item: InboxItem; suggested: readonly unknown[] }) {
  const [text, setText] = useState('');
  const giving = useGiving(item);
  const off = item.state !== 'open' || giving.busy;
  const send = (answer: string) =>
    void giving.give({ kind: 'answer', content: { kind: 'clarification', answer } });
  const texts = suggested.filter((one) => typeof one === 'string');
  return (
    <form
      class="choices"
      onSubmit={(event) => {
        event.preventDefault();
        if (!off && text.trim() !== '') send(text);
      }}
    >
      {texts.length > 0 && (
        <section class="suggestions" aria-label={t('clarification.suggested')}>
          {texts.map((answer) => (
            <Button key={answer} off={off} onClick={() => send(answer)}>
              {escapeInvisible(answer)}
            </Button>
          ))}
        </section>
      )}
      <div class="field">
        <label for="answer">{t('clarification.own')}</label>
        <textarea
          id="answer"
          class="input"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {giving.problem !== undefined && (
        <Notice tone="no" live>
          {giving.problem}
        </Notice>
      )}
      <Button kind="main" type="submit" wide off={off || text.trim() === ''} testId="send-answer">
        {t('clarification.send')}
      </Button>
    </form>
  );
}
