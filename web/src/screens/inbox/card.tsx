/** One item as a row: what it is, whose, how old, how long it counts. */
import type { InboxItem } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { relativeTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { Chip } from '../../parts/chip.js';
import { Countdown } from '../../parts/countdown.js';
import { placeHash } from '../../state/route.js';

export function Card({ item }: { item: InboxItem }) {
  const { route, agents } = useApp();
  const here = route.place.value;
  const place = { screen: 'item', pairingId: item.pairingId, requestId: item.requestId } as const;
  const isOpen = here.screen === 'item' && here.requestId === item.requestId;
  return (
    <li>
      <a
        class="card panel"
        href={placeHash(place)}
        data-agent={agents.lookOf(item.pairingId).color}
        data-risk={item.risk}
        data-testid="card"
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          event.preventDefault();
          route.go(place, { replace: here.screen === 'item' });
        }}
      >
        <span class="card-top">
          <AgentBadge pairingId={item.pairingId} name={item.agentName} />
          <Age createdAt={item.createdAt} pairingId={item.pairingId} />
        </span>
        <strong class="card-summary">{escapeToLine(item.summary)}</strong>
        <span class="card-marks">
          <Marks item={item} />
          <Countdown item={item} />
        </span>
      </a>
    </li>
  );
}

function Marks({ item }: { item: InboxItem }) {
  return (
    <>
      {item.risk === 'high' && (
        <Chip tone="no" icon="alert">
          {t('risk.high')}
        </Chip>
      )}
      {item.kind === 'clarification' && <Chip>{t('kind.clarification')}</Chip>}
      {item.kind === 'elicitation' && <Chip>{t('kind.elicitation')}</Chip>}
      {item.state === 'waiting' && <Chip tone="warn">{t('item.waiting')}</Chip>}
      {item.state === 'unreadable' && <Chip tone="warn">{t('item.unreadable')}</Chip>}
      {item.answer !== undefined && <Chip tone="warn">{t('answer.cameBack')}</Chip>}
    </>
  );
}

function Age({ createdAt, pairingId }: { createdAt: number; pairingId: string }) {
  const { clock, device } = useApp();
  const status = device.inbox.value.pairings.find(({ id }) => id === pairingId);
  const agentNow = clock.now.value + (status?.clockOffsetMs ?? 0);
  return (
    <time class="soft small" dateTime={isoTime(createdAt)}>
      {relativeTime(Math.min(0, createdAt - agentNow))}
    </time>
  );
}

/** A time the agent made up may be beyond what a date can hold. */
function isoTime(unixMs: number): string | undefined {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
