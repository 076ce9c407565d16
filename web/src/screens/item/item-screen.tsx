/** One item whole, and the decision. */
import './item.css';
import type { InboxItem } from '@countersign/client-sdk';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { relativeTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { IconButton } from '../../parts/button.js';
import { Chip } from '../../parts/chip.js';
import { Countdown } from '../../parts/countdown.js';
import type { Place } from '../../state/route.js';
import { ApprovalItem } from './approval-item.js';
import { ClarificationItem } from './clarification-item.js';
import { ElicitationItem } from './elicitation-item.js';
import { EndedItem } from './ended-item.js';
import { ItemNotices } from './item-notices.js';
import { useSummary } from './use-summary.js';

type ItemPlace = Extract<Place, { screen: 'item' }>;

export function ItemScreen({ place }: { place: ItemPlace }) {
  const { device } = useApp();
  const item = device.inbox.value.items.find(
    (one) => one.pairingId === place.pairingId && one.requestId === place.requestId,
  );
  const [lastSeen, setLastSeen] = useState<InboxItem>();
  useEffect(() => {
    if (item !== undefined) setLastSeen(item);
  }, [item]);
  if (item === undefined) return <EndedItem place={place} item={lastSeen} />;
  return (
    <div class="item">
      <ItemHead item={item} />
      <ItemNotices item={item} />
      <ItemContent item={item} />
    </div>
  );
}

function ItemContent({ item }: { item: InboxItem }) {
  switch (item.kind) {
    case 'approval':
      return <ApprovalItem key={`${item.digest} ${item.whole} ${item.state === 'waiting'}`} item={item} />;
    case 'clarification':
      return <ClarificationItem item={item} />;
    case 'elicitation':
      return <ElicitationItem item={item} />;
  }
}

export function ItemHead({ item }: { item: InboxItem }) {
  const { route, agents, clock } = useApp();
  const summary = useSummary(item);
  return (
    <header class="item-head" data-agent={agents.lookOf(item.pairingId).color}>
      <div class="item-bar">
        <IconButton icon="back" label={t('back')} onClick={() => route.back()} />
        <AgentBadge pairingId={item.pairingId} name={item.agentName} />
        <Countdown item={item} />
      </div>
      <h1 data-testid="item-summary">{summary}</h1>
      <p class="item-marks soft small">
        {item.risk === 'high' && (
          <Chip tone="no" icon="alert">
            {t('risk.high')}
          </Chip>
        )}
        {item.risk === 'low' && <Chip tone="yes">{t('risk.low')}</Chip>}
        <span>
          {t(`asks.${item.kind}`, { when: relativeTime(Math.min(0, item.createdAt - clock.now.value)) })}
        </span>
      </p>
    </header>
  );
}
