/** After the tap: the code that the agent's person types, until the agent lets this device in. */
import type { Pairing } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { InstallHint } from '../../parts/install-hint.js';
import { Notice } from '../../parts/notice.js';
import { PushHint } from '../../push/push-notice.js';

export function PairedView({ pairing }: { pairing: Pairing }) {
  const { device, route, push } = useApp();
  const status = device.inbox.value.pairings.find(({ id }) => id === pairing.id);
  const admitted = status?.connection === 'online';
  return (
    <section class="panel pair-form paired" data-testid="paired">
      <p>{t('pair.typeCodeAt', { agent: escapeToLine(pairing.agentName) })}</p>
      <p class="big-code" data-testid="pairing-code">
        {pairing.code}
      </p>
      <p class="soft small">{t('pair.codeWhy')}</p>
      {admitted ? (
        <Notice tone="yes" icon="check" live>
          {t('pair.confirmed')}
        </Notice>
      ) : (
        <Notice icon="clock" live>
          {t('pair.waiting')}
        </Notice>
      )}
      <InstallHint />
      {admitted && push.state.value !== 'home_screen' && <PushHint />}
      <Button
        kind={admitted ? 'main' : undefined}
        wide
        onClick={() => route.go({ screen: 'inbox' }, { replace: true })}
      >
        {t('pair.toInbox')}
      </Button>
    </section>
  );
}
