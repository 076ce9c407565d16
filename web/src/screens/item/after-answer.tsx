/** After the tap: sent, then confirmed by the agent, or what happened instead (03 §5). */
import type { InboxItem } from '@countersign/client-sdk';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { answerLine } from '../../parts/answer-line.js';
import { Button } from '../../parts/button.js';
import { Icon, type IconName } from '../../parts/icon.js';
import type { HistoryEntry } from '../../state/history.js';
import { cardsOf } from '../../state/inbox-order.js';

export function AfterAnswer({ item }: { item: Pick<InboxItem, 'pairingId' | 'requestId'> }) {
  const { history } = useApp();
  const entry = history.of(item.pairingId, item.requestId);
  return (
    <footer class="choices after" data-testid="after-answer" data-phase={entry?.state.phase}>
      <div class="after-line" role="status">
        <span class="after-sign" data-tone={toneOf(entry)}>
          <Icon name={iconOf(entry)} />
        </span>
        <div>
          <strong>{entry === undefined ? t('answer.given') : t(`decision.${entry.decision}`)}</strong>
          <p class="small soft">{entry && answerLine(entry.state)}</p>
        </div>
      </div>
      <NextButtons />
    </footer>
  );
}

export function NextButtons() {
  const { device, route } = useApp();
  const [next] = cardsOf(device.inbox.value.items);
  const open = () => {
    if (next === undefined) return;
    const { pairingId, requestId } = next;
    route.go({ screen: 'item', pairingId, requestId }, { replace: true });
  };
  return (
    <div class="choices-row">
      <Button testId="to-inbox" onClick={() => route.go({ screen: 'inbox' }, { replace: true })}>
        {t('pair.toInbox')}
      </Button>
      {next !== undefined && (
        <Button kind="main" onClick={open}>
          {t('item.next')}
        </Button>
      )}
    </div>
  );
}

function toneOf(entry: HistoryEntry | undefined): string {
  if (entry?.state.phase === 'confirmed') return 'yes';
  return entry?.state.phase === 'refused' ? 'no' : 'waiting';
}

function iconOf(entry: HistoryEntry | undefined): IconName {
  if (entry?.state.phase === 'confirmed') return 'check';
  return entry?.state.phase === 'refused' ? 'alert' : 'clock';
}
