/** Giving an answer from a screen: busy while it is signed, a sentence when it cannot be given. */
import type { InboxItem } from '@countersign/client-sdk';
import { CountersignError } from '@countersign/protocol';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { type Act, give } from '../../state/answering.js';

export interface Giving {
  busy: boolean;
  problem: string | undefined;
  /** True when it was given. */
  give(act: Act): Promise<boolean>;
}

export function useGiving(item: InboxItem): Giving {
  const app = useApp();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  return {
    busy,
    problem,
    async give(act) {
      if (busy) return false;
      setBusy(true);
      setProblem(undefined);
      try {
        await give(act, item, app);
        return true;
      } catch (error) {
        setProblem(sentenceOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

function sentenceOf(error: unknown): string {
  const code = error instanceof CountersignError ? error.code : undefined;
  if (code === 'unavailable') return t('give.unavailable');
  if (code === 'payload_too_large') return t('give.tooLarge');
  if (code === 'queue_full') return t('give.queueFull');
  if (code === 'storage_full') return t('give.storageFull');
  return t('give.invalid');
}
