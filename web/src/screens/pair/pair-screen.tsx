/**
 * Making this device known to an agent: by a link this page was opened with, by the camera, by pasting. Nothing is
 * sent before the person taps (02 §5).
 */
import './pair.css';
import type { Pairing } from '@countersign/client-sdk';
import type { PairingOffer } from '@countersign/protocol/e2e';
import { useEffect, useState } from 'preact/hooks';
import { takenLink } from '../../app/taken-link.js';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { IconButton } from '../../parts/button.js';
import { Notice } from '../../parts/notice.js';
import { linkProblem, readOffer } from '../../state/pairing-link.js';
import { EnterLink } from './enter-link.js';
import { PairedView } from './paired-view.js';
import { ReviewOffer } from './review-offer.js';

type Step =
  | { at: 'enter' }
  | { at: 'review'; link: string; offer: PairingOffer }
  | { at: 'paired'; pairing: Pairing };

export function PairScreen() {
  const { route } = useApp();
  const [step, setStep] = useState<Step>({ at: 'enter' });
  const [problem, setProblem] = useState<string>();
  const read = async (link: string) => {
    const result = await readOffer(link);
    setProblem(result.problem === undefined ? undefined : linkProblem(result.problem));
    if (result.offer !== undefined) setStep({ at: 'review', link, offer: result.offer });
  };
  useEffect(() => {
    const link = takenLink.value;
    if (link === undefined) return;
    takenLink.value = undefined;
    void read(link);
  }, [takenLink.value]);
  return (
    <div class="screen">
      <header class="screen-head">
        <IconButton icon="back" label={t('back')} onClick={() => route.back()} />
        <h1>{t('pair.title')}</h1>
      </header>
      {problem !== undefined && (
        <Notice tone="no" live>
          {problem}
        </Notice>
      )}
      {step.at === 'enter' && <EnterLink onLink={(link) => void read(link)} />}
      {step.at === 'review' && (
        <ReviewOffer
          link={step.link}
          offer={step.offer}
          onPaired={(pairing) => setStep({ at: 'paired', pairing })}
          onCancel={() => setStep({ at: 'enter' })}
        />
      )}
      {step.at === 'paired' && <PairedView pairing={step.pairing} />}
    </div>
  );
}
