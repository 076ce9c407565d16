/** The paired agents: how they are called and coloured here, and how one is let go. */
import type { Pairing } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { dateAndTime } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { AgentBadge } from '../../parts/agent-badge.js';
import { Button } from '../../parts/button.js';
import { Sheet } from '../../parts/sheet.js';
import { AGENT_COLORS } from '../../state/agents.js';
import { hostOf } from '../../state/pairing-link.js';
import { Section } from './section.js';

export function AgentsSection() {
  const { device, route } = useApp();
  return (
    <Section title={t('agents.title')}>
      {device.pairings.value.map((pairing) => (
        <AgentRow key={pairing.id} pairing={pairing} />
      ))}
      <div class="setting">
        <Button icon="plus" onClick={() => route.go({ screen: 'pair' })}>
          {t('pair.another')}
        </Button>
      </div>
    </Section>
  );
}

function AgentRow({ pairing }: { pairing: Pairing }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="setting" data-testid="agent-row">
      <div>
        <AgentBadge pairingId={pairing.id} name={pairing.agentName} />
        <p class="small soft">
          {hostOf(pairing.relayUrl)} · {t('agents.since', { when: dateAndTime(pairing.pairedAt) })}
        </p>
      </div>
      <Button onClick={() => setOpen(true)}>{t('agents.change')}</Button>
      {open && <AgentSheet pairing={pairing} onClose={() => setOpen(false)} />}
    </div>
  );
}

function AgentSheet({ pairing, onClose }: { pairing: Pairing; onClose(): void }) {
  const { agents } = useApp();
  const look = agents.lookOf(pairing.id);
  return (
    <Sheet title={escapeToLine(look.label ?? pairing.agentName)} onClose={onClose}>
      <div class="field">
        <label for="agent-label">{t('agents.label')}</label>
        <input
          id="agent-label"
          class="input"
          maxlength={64}
          autocomplete="off"
          placeholder={escapeToLine(pairing.agentName)}
          value={look.label ?? ''}
          onChange={(event) =>
            void agents.change(pairing.id, { label: event.currentTarget.value.trim() || undefined })
          }
        />
      </div>
      <fieldset class="colors">
        <legend class="small">{t('agents.color')}</legend>
        {Array.from({ length: AGENT_COLORS }, (_, color) => (
          <label key={`color ${String(color)}`} class="color" data-agent={color}>
            <input
              type="radio"
              name="color"
              checked={color === look.color}
              aria-label={t(`color.${color as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7}`)}
              onChange={() => void agents.change(pairing.id, { color })}
            />
          </label>
        ))}
      </fieldset>
      <p class="small soft">
        {t('agents.deviceId')} <code>{pairing.deviceId.slice(0, 16)}…</code>
      </p>
      <Unpair pairing={pairing} />
    </Sheet>
  );
}

function Unpair({ pairing }: { pairing: Pairing }) {
  const { agents, device } = useApp();
  const [step, setStep] = useState<'idle' | 'sure' | 'busy'>('idle');
  const unpair = async () => {
    setStep('busy');
    await device.unpair(pairing.id);
    await agents.forget(pairing.id);
  };
  if (step === 'idle') {
    return (
      <Button kind="no" icon="trash" testId="unpair" onClick={() => setStep('sure')}>
        {t('agents.unpair')}
      </Button>
    );
  }
  return (
    <>
      <p>{t('agents.unpairText')}</p>
      <Button kind="danger" testId="unpair-sure" off={step === 'busy'} onClick={() => void unpair()}>
        {step === 'busy' ? t('agents.unpairing') : t('agents.unpairSure')}
      </Button>
    </>
  );
}
