/** How each agent can be reached, when there is something to say: offline, waiting for its code, removed, old news. */
import type { PairingStatus } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { relativeTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { Button } from '../../parts/button.js';
import { Icon } from '../../parts/icon.js';
import { Notice } from '../../parts/notice.js';

export function PairingLines() {
  const { pairings } = useApp().device.inbox.value;
  if (pairings.some(({ problem }) => problem?.code === 'open_elsewhere')) return <OpenElsewhere />;
  return (
    <ul class="agents" aria-label={t('agents.title')}>
      {pairings.map((status) => (
        <li key={status.id}>
          <AgentLine status={status} />
        </li>
      ))}
    </ul>
  );
}

function AgentLine({ status }: { status: PairingStatus }) {
  const { clock, device } = useApp();
  if (status.problem?.code === 'waiting_for_confirmation') {
    const code = device.pairings.value.find(({ id }) => id === status.id)?.code ?? '';
    return (
      <Notice icon="shield">
        <AgentBadge pairingId={status.id} name={status.agentName} />
        <span>{t('pair.typeCode')}</span>
        <span class="code" data-testid="pairing-code">
          {code}
        </span>
      </Notice>
    );
  }
  return (
    <div class="agent-line">
      <AgentBadge pairingId={status.id} name={status.agentName} />
      <span class="soft small" data-testid="agent-state">
        {status.problem !== undefined && <Icon name="alert" />}
        {stateOf(status)}
        {status.snapshotAt !== undefined &&
          ` · ${t('inbox.asOf', { when: relativeTime(Math.min(0, status.snapshotAt - clock.now.value)) })}`}
      </span>
    </div>
  );
}

function stateOf({ problem, connection, agentOnline }: PairingStatus): string {
  if (problem?.code === 'revoked') return t('agent.revoked');
  if (problem?.code === 'clock_skew') return t('agent.clockSkew');
  if (connection === 'online') return agentOnline === false ? t('agent.away') : t('agent.online');
  if (connection === 'connecting') return t('agent.connecting');
  // What the link says is a sentence for a person already, in English.
  return problem === undefined ? t('agent.offline') : `${t('agent.offline')} (${escapeToLine(problem.code)})`;
}

function OpenElsewhere() {
  const { tabs } = useApp();
  return (
    <Notice icon="info">
      <span>{t('tab.elsewhere')}</span>
      <Button kind="plain" onClick={() => tabs.takeOver()}>
        {t('tab.useHere')}
      </Button>
    </Notice>
  );
}
