/** The choices of an approval: exactly those the agent offers, the two that matter most in reach of a thumb. */
import type { InboxItem } from '@countersign/client-sdk';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { DeliberateButton } from '../../parts/deliberate-button.js';
import { Notice } from '../../parts/notice.js';
import { approvalOffer, hindranceOf } from '../../state/decide.js';
import { remainingMs } from '../../state/time-left.js';
import { EditSheet } from './edit-sheet.js';
import { MoreChoices } from './more-choices.js';
import { ReasonSheet, type ReasonUse } from './reason-sheet.js';
import { useGiving } from './use-giving.js';

type Open = 'more' | 'edit' | ReasonUse | undefined;

export function ApprovalBar({ item, seenToEnd }: { item: InboxItem; seenToEnd: boolean }) {
  const { device, clock, lock } = useApp();
  const holds = item.risk === 'high' && !lock.isSetUp.value;
  const [open, setOpen] = useState<Open>();
  const giving = useGiving(item);
  const offer = approvalOffer(item);
  const leftMs = remainingMs(item, device.inbox.value, clock.now.value);
  const hindrance = hindranceOf(item, { toItsEnd: seenToEnd, leftMs });
  const approve = () => void giving.give({ kind: 'approve' });
  const close = () => setOpen(undefined);
  const hasMore = offer.session || offer.forSecs !== undefined || offer.rules.length > 0;
  const hasOther = offer.edit || offer.reason || offer.stop || offer.respond;
  return (
    <footer class="choices" data-testid="choices">
      {giving.problem !== undefined && (
        <Notice tone="no" live>
          {giving.problem}
        </Notice>
      )}
      <p class="choices-hint small soft" id="why-not" role="status">
        {hindrance !== undefined ? t(`hindrance.${hindrance}`) : holds && t('hold.hint')}
      </p>
      <div class="choices-row">
        <Button kind="no" icon="cross" testId="reject" onClick={() => void giving.give({ kind: 'reject' })}>
          {t('choice.reject')}
        </Button>
        {offer.once && (
          <Approve
            isHigh={item.risk === 'high'}
            off={hindrance !== undefined || giving.busy}
            onApprove={approve}
          />
        )}
        {(hasMore || hasOther) && (
          <Button icon="more" testId="more" onClick={() => setOpen('more')}>
            <span class="visually-hidden">{t('choice.more')}</span>
          </Button>
        )}
      </div>
      {open === 'more' && (
        <MoreChoices
          item={item}
          offer={offer}
          hindrance={hindrance}
          giving={giving}
          onClose={close}
          onOpen={setOpen}
        />
      )}
      {open === 'edit' && <EditSheet item={item} giving={giving} hindrance={hindrance} onClose={close} />}
      {(open === 'reason' || open === 'stop' || open === 'respond') && (
        <ReasonSheet use={open} offer={offer} giving={giving} onClose={close} />
      )}
    </footer>
  );
}

interface ApproveProps {
  isHigh: boolean;
  off: boolean;
  onApprove(): void;
}

function Approve({ isHigh, off, onApprove }: ApproveProps) {
  const { lock } = useApp();
  if (isHigh) {
    return (
      <DeliberateButton
        label={lock.isSetUp.value ? t('lock.approve') : t('hold.approve')}
        off={off}
        describedBy="why-not"
        testId="approve"
        onDone={onApprove}
      />
    );
  }
  return (
    <Button kind="yes" icon="check" off={off} describedBy="why-not" testId="approve" onClick={onApprove}>
      {t('choice.approve')}
    </Button>
  );
}
