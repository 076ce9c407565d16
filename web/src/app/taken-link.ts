/**
 * Takes a pairing link out of the address before anything else runs: imported first by `main.tsx`. What a fragment
 * holds must stay in no history, no bookmark and no error report (02 §5). Must not know what a link means.
 */
import { signal } from '@preact/signals';

/** The link this page was opened with, once; whoever takes it up sets it to undefined. */
export const takenLink = signal<string | undefined>(undefined);

export function takeLink(place: Location = location, past: History = history): void {
  if (!place.hash.startsWith('#p=')) return;
  const link = place.href;
  past.replaceState(null, '', `${place.pathname}${place.search}`);
  takenLink.value = link;
}

takeLink();
addEventListener('hashchange', () => takeLink());
