/** Everything that waits, of all agents. */
import './inbox.css';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { IconButton } from '../../parts/button.js';
import { PushHint } from '../../push/push-notice.js';
import { cardsOf, onTheirWay } from '../../state/inbox-order.js';
import { Card } from './card.js';
import { EmptyInbox, Welcome } from './empty.js';
import { MessageList } from './message-list.js';
import { OnTheirWay } from './on-their-way.js';
import { PairingLines } from './pairing-lines.js';

export function InboxScreen() {
  const { device, route } = useApp();
  const inbox = device.inbox.value;
  if (device.pairings.value.length === 0) return <Welcome />;
  const cards = cardsOf(inbox.items);
  const sent = onTheirWay(inbox.items);
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t('inbox.title')}</h1>
        <IconButton icon="refresh" label={t('inbox.refresh')} onClick={() => refresh(device)} />
        <IconButton icon="plus" label={t('pair.another')} onClick={() => route.go({ screen: 'pair' })} />
      </header>
      <PairingLines />
      <PushHint />
      <MessageList />
      {sent.length > 0 && <OnTheirWay items={sent} />}
      {cards.length === 0 ? (
        <EmptyInbox />
      ) : (
        <ul class="cards" aria-label={t('inbox.title')}>
          {cards.map((item) => (
            <Card key={`${item.pairingId}/${item.kind}/${item.requestId}`} item={item} />
          ))}
        </ul>
      )}
    </div>
  );
}

function refresh(device: ReturnType<typeof useApp>['device']): void {
  // Offline agents are asked once they are back; the lines above say so.
  device.client.requestInbox().catch(() => undefined);
}
