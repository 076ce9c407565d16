/** The rarer choices: standing approvals, rules, changed arguments, a reason, stopping the run, an answer instead. */
import type { ApproveOptions, InboxItem } from '@countersign/client-sdk';
import { escapeToLine } from '@countersign/protocol/blocks';
import type { ComponentChildren } from 'preact';
import { spanText } from '../../i18n/format.js';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { DeliberateButton } from '../../parts/deliberate-button.js';
import { Sheet } from '../../parts/sheet.js';
import type { ApprovalOffer, Hindrance } from '../../state/decide.js';
import type { ReasonUse } from './reason-sheet.js';
import type { Giving } from './use-giving.js';

export interface MoreChoicesProps {
  item: InboxItem;
  offer: ApprovalOffer;
  hindrance: Hindrance | undefined;
  giving: Giving;
  onClose(): void;
  onOpen(what: 'edit' | ReasonUse): void;
}

export function MoreChoices({ item, offer, hindrance, giving, onClose, onOpen }: MoreChoicesProps) {
  const approve = async (options: ApproveOptions) => {
    if (await giving.give({ kind: 'approve', options })) onClose();
  };
  const isHigh = item.risk === 'high';
  const off = hindrance !== undefined || giving.busy;
  const standing = { isHigh, off };
  const seconds = offer.forSecs;
  return (
    <Sheet title={t('choice.more')} onClose={onClose}>
      {giving.problem !== undefined && <p class="fault">{giving.problem}</p>}
      <Group label={t('choice.groupApprove')} hint={hindrance && t(`hindrance.${hindrance}`)}>
        {seconds !== undefined && (
          <Standing {...standing} onApprove={() => void approve({ bypassSecs: seconds })}>
            {t('choice.approveFor', { span: spanText(seconds) })}
          </Standing>
        )}
        {offer.session && (
          <Standing {...standing} onApprove={() => void approve({ bypassSecs: 0 })}>
            {t('choice.approveSession')}
          </Standing>
        )}
        {offer.rules.map((rule) => (
          <Standing key={rule.id} {...standing} onApprove={() => void approve({ ruleId: rule.id })}>
            {t('choice.approveRule', { rule: escapeToLine(rule.label) })}
          </Standing>
        ))}
        {offer.edit && (
          <Button wide icon="pencil" off={hindrance !== undefined} onClick={() => onOpen('edit')}>
            {t('choice.edit')}
          </Button>
        )}
      </Group>
      {(offer.session || seconds !== undefined) && <p class="small soft">{t('choice.standingText')}</p>}
      <Group label={t('choice.groupReject')}>
        {offer.reason && (
          <Button wide kind="no" onClick={() => onOpen('reason')}>
            {t('choice.rejectReason')}
          </Button>
        )}
        {offer.stop && (
          <Button wide kind="no" icon="stop" onClick={() => onOpen('stop')}>
            {t('choice.rejectStop')}
          </Button>
        )}
        {offer.respond && (
          <Button wide onClick={() => onOpen('respond')}>
            {t('choice.respond')}
          </Button>
        )}
      </Group>
    </Sheet>
  );
}

interface GroupProps {
  label: string;
  hint?: string | undefined;
  children: ComponentChildren;
}

function Group({ label, hint, children }: GroupProps) {
  return (
    <section class="choice-group" aria-label={label}>
      {hint && <p class="small soft">{hint}</p>}
      {children}
    </section>
  );
}

interface StandingProps {
  isHigh: boolean;
  off: boolean;
  onApprove(): void;
  children: string;
}

function Standing({ isHigh, off, onApprove, children }: StandingProps) {
  if (isHigh) {
    return <DeliberateButton label={children} off={off} wide onDone={onApprove} />;
  }
  return (
    <Button wide off={off} onClick={onApprove}>
      {children}
    </Button>
  );
}
