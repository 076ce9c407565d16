/** A text that goes with a no: the reason, the reason of a stop, or the answer in the tool's place. */
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { Sheet } from '../../parts/sheet.js';
import type { ApprovalOffer } from '../../state/decide.js';
import type { Giving } from './use-giving.js';

export type ReasonUse = 'reason' | 'stop' | 'respond';

export interface ReasonSheetProps {
  use: ReasonUse;
  offer: ApprovalOffer;
  giving: Giving;
  onClose(): void;
}

const SEND = {
  reason: 'choice.rejectReason',
  stop: 'choice.rejectStop',
  respond: 'choice.respondSend',
} as const;

export function ReasonSheet({ use, offer, giving, onClose }: ReasonSheetProps) {
  const [text, setText] = useState('');
  const reason = text.trim();
  const needsText = use !== 'stop';
  const takesText = use !== 'stop' || offer.reason;
  const send = async () => {
    const options = {
      ...(reason === '' ? {} : { reason }),
      ...(use === 'stop' ? { stop: true } : {}),
      ...(use === 'respond' ? { respond: true } : {}),
    };
    if (await giving.give({ kind: 'reject', options })) onClose();
  };
  return (
    <Sheet title={t(`reason.${use}`)} onClose={onClose}>
      <p class="small soft">{t(`reason.${use}Text`)}</p>
      {takesText && (
        <div class="field">
          <label for="reason">{t(`reason.${use}Label`)}</label>
          <textarea
            id="reason"
            class="input"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      )}
      {giving.problem !== undefined && <p class="fault">{giving.problem}</p>}
      <Button
        wide
        kind={use === 'respond' ? 'main' : 'danger'}
        off={giving.busy || (needsText && reason === '')}
        testId="send-reason"
        onClick={() => void send()}
      >
        {t(SEND[use])}
      </Button>
    </Sheet>
  );
}
