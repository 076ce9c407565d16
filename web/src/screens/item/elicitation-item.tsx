/** A tool server asks for input: a form, a yes or no, a secret, or a page to be visited (03 §2). */
import type { InboxItem } from '@countersign/client-sdk';
import { escapeInvisible, escapeToLine } from '@countersign/protocol/blocks';
import { isJsonObject } from '@countersign/protocol/payloads';
import { TapToOpen } from '../../blocks/tap-to-open.js';
import { webTarget } from '../../blocks/url/url-value.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { SchemaForm } from '../../parts/schema-form/schema-form.js';
import { elicitationSchema } from '../../state/elicitation.js';
import { AfterAnswer } from './after-answer.js';
import { type Giving, useGiving } from './use-giving.js';

export function ElicitationItem({ item }: { item: InboxItem }) {
  const { entry } = item;
  const giving = useGiving(item);
  const message = String(entry.message ?? '');
  return (
    <>
      <p class="small soft">
        {t('elicitation.from')} <strong>{escapeToLine(String(entry.server_name ?? ''))}</strong>
      </p>
      {message !== item.summary && <p class="value-text item-question">{escapeInvisible(message)}</p>}
      {entry.sensitive === true && <Notice icon="lock">{t('elicitation.sensitive')}</Notice>}
      {item.state === 'answered' ? <AfterAnswer item={item} /> : <Ask item={item} giving={giving} />}
    </>
  );
}

function Ask({ item, giving }: { item: InboxItem; giving: Giving }) {
  const { entry } = item;
  const off = item.state !== 'open' || giving.busy;
  const accept = (content: Record<string, unknown>) =>
    void giving.give({ kind: 'answer', content: { kind: 'elicitation', action: 'accept', content } });
  const isAsking = typeof entry.url !== 'string' && entry.is_confirmation !== true;
  return (
    <footer class="choices" data-testid="choices">
      {typeof entry.url === 'string' && <Visit url={entry.url} />}
      {giving.problem !== undefined && (
        <Notice tone="no" live>
          {giving.problem}
        </Notice>
      )}
      {isAsking ? (
        <SchemaForm
          schema={elicitationSchema(entry)}
          secret={entry.sensitive === true}
          submit={t('elicitation.send')}
          off={off}
          onSubmit={accept}
        />
      ) : (
        <Button kind="yes" wide off={off} testId="accept" onClick={() => accept(confirmed(entry))}>
          {typeof entry.url === 'string' ? t('elicitation.visited') : t('yes')}
        </Button>
      )}
      <Refuse giving={giving} off={off} isConfirmation={entry.is_confirmation === true} />
    </footer>
  );
}

/** A plain yes: the one boolean that was asked for, if one was. */
function confirmed(entry: InboxItem['entry']): Record<string, unknown> {
  if (typeof entry.url === 'string') return {};
  const schema = entry.requested_schema;
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : undefined;
  const names = properties === undefined ? [] : Object.keys(properties);
  const [name = typeof entry.field_name === 'string' ? entry.field_name : 'value'] = names;
  return { [name]: true };
}

function Visit({ url }: { url: string }) {
  return (
    <Notice icon="link">
      <span>{t('elicitation.visit')}</span>
      <TapToOpen text={escapeInvisible(url)} target={webTarget(url)} />
    </Notice>
  );
}

function Refuse({ giving, off, isConfirmation }: { giving: Giving; off: boolean; isConfirmation: boolean }) {
  const answer = (action: 'decline' | 'cancel') =>
    void giving.give({ kind: 'answer', content: { kind: 'elicitation', action } });
  return (
    <div class="choices-row">
      <Button kind="no" off={off} testId="decline" onClick={() => answer('decline')}>
        {isConfirmation ? t('no') : t('elicitation.decline')}
      </Button>
      <Button kind="plain" off={off} onClick={() => answer('cancel')}>
        {t('elicitation.cancel')}
      </Button>
    </div>
  );
}
