/** What a link would pair this device with. The tap on Pair is the first thing that reaches the relay. */
import type { Pairing } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import type { PairingOffer } from '@countersign/protocol/e2e';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { suggestedDeviceName } from '../../state/device-name.js';
import { codeOf, hostOf, linkProblem } from '../../state/pairing-link.js';

export interface ReviewOfferProps {
  link: string;
  offer: PairingOffer;
  onPaired(pairing: Pairing): void;
  onCancel(): void;
}

export function ReviewOffer({ link, offer, onPaired, onCancel }: ReviewOfferProps) {
  const app = useApp();
  const [name, setName] = useState(app.settings.values.value.deviceName || suggestedDeviceName());
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false });
  const pair = async () => {
    setState({ busy: true });
    try {
      const pairing = await app.device.pair(link, name.trim() || suggestedDeviceName());
      await app.settings.change({ deviceName: name.trim() });
      await app.agents.welcome(
        pairing.id,
        app.device.pairings.value.map(({ id }) => id),
      );
      onPaired(pairing);
    } catch (error) {
      setState({ busy: false, problem: linkProblem(codeOf(error)) });
    }
  };
  return (
    <form
      class="panel pair-form"
      data-testid="pair-review"
      onSubmit={(event) => {
        event.preventDefault();
        if (!state.busy) void pair();
      }}
    >
      <dl class="facts">
        <dt>{t('pair.agent')}</dt>
        <dd data-testid="offer-agent">{escapeToLine(offer.name) || t('pair.unnamed')}</dd>
        <dt>{t('pair.relay')}</dt>
        <dd>
          <code data-testid="offer-relay">{hostOf(offer.relayUrl)}</code>
        </dd>
        <dt>{t('pair.servedBy')}</dt>
        <dd>
          <code>{location.host}</code>
        </dd>
      </dl>
      <Notice>{t('pair.whoServes', { host: location.host })}</Notice>
      <div class="field">
        <label for="device-name">{t('pair.deviceName')}</label>
        <input
          id="device-name"
          class="input"
          maxlength={64}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      {state.problem !== undefined && (
        <Notice tone="no" live>
          {state.problem}
        </Notice>
      )}
      <div class="pair-actions">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button kind="main" type="submit" off={state.busy} testId="pair-now">
          {state.busy ? t('pair.working') : t('pair.now')}
        </Button>
      </div>
    </form>
  );
}
