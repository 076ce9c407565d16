/** What agents told without asking. */
import { escapeInvisible, escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { relativeTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { IconButton } from '../../parts/button.js';

export function MessageList() {
  const { messages, clock } = useApp();
  return (
    <>
      {messages.unread.value.map((message) => (
        <article key={`${message.pairingId}/${message.id}`} class="panel message" data-testid="message">
          <div class="message-text">
            <AgentBadge pairingId={message.pairingId} name={message.agentName} />
            {message.title !== message.agentName && <strong>{escapeToLine(message.title)}</strong>}
            <p class="value-text">{escapeInvisible(message.body)}</p>
            <time class="soft small">{relativeTime(Math.min(0, message.at - clock.now.value))}</time>
          </div>
          <IconButton icon="close" label={t('dismiss')} onClick={() => void messages.dismiss(message)} />
        </article>
      ))}
    </>
  );
}
