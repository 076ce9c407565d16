/** An item the agent does not ask any more: what became of it, as far as this device knows. */
import type { InboxItem } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { IconButton } from '../../parts/button.js';
import { Emblem } from '../../parts/emblem.js';
import type { Place } from '../../state/route.js';
import { AfterAnswer, NextButtons } from './after-answer.js';

export interface EndedItemProps {
  place: Extract<Place, { screen: 'item' }>;
  /** As it was when it was last here. */
  item: InboxItem | undefined;
}

export function EndedItem({ place, item }: EndedItemProps) {
  const { history, route, messages } = useApp();
  const given = history.of(place.pairingId, place.requestId);
  const known = item ?? given;
  const ending = messages.endingOf(place.pairingId, place.requestId);
  return (
    <div class="item" data-testid="ended">
      <div class="item-bar">
        <IconButton icon="back" label={t('back')} onClick={() => route.back()} />
        {known !== undefined && <AgentBadge pairingId={place.pairingId} name={known.agentName} />}
      </div>
      <div class="empty">
        <Emblem />
        {known !== undefined && <h1>{escapeToLine(known.summary)}</h1>}
        {given === undefined && (
          <p>{ending === undefined ? t('item.ended') : t('item.endedHow', { how: escapeToLine(ending) })}</p>
        )}
      </div>
      {given === undefined ? (
        <footer class="choices">
          <NextButtons />
        </footer>
      ) : (
        <AfterAnswer item={place} />
      )}
    </div>
  );
}
