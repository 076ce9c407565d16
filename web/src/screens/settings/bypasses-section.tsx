/** Standing approvals given earlier, and how they end. */
import type { Bypass } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { relativeTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { Button } from '../../parts/button.js';
import { Section } from './section.js';

export function BypassesSection() {
  const { bypasses } = useApp().device.inbox.value;
  if (bypasses.length === 0) return null;
  return (
    <Section title={t('bypass.title')}>
      {bypasses.map((bypass) => (
        <BypassRow key={`${bypass.pairingId}/${bypass.id}`} bypass={bypass} />
      ))}
    </Section>
  );
}

function BypassRow({ bypass }: { bypass: Bypass }) {
  const { device } = useApp();
  const [ended, setEnded] = useState(false);
  const end = () => {
    setEnded(true);
    device.client.endBypass(bypass.pairingId, bypass.id).catch(() => setEnded(false));
  };
  const until =
    bypass.remainingMs === null
      ? t('bypass.session')
      : t('bypass.until', { when: relativeTime(bypass.remainingMs) });
  return (
    <div class="setting" data-testid="bypass">
      <div>
        <code>{escapeToLine(bypass.toolName)}</code>
        <p class="small soft">
          <AgentBadge pairingId={bypass.pairingId} name={bypass.agentName} /> {until} ·{' '}
          {t('bypass.by', { by: escapeToLine(bypass.by) })}
        </p>
      </div>
      <Button kind="no" off={ended} onClick={end}>
        {ended ? t('bypass.ending') : t('bypass.end')}
      </Button>
    </div>
  );
}
