/** Which screen is open, kept in the fragment so that any static host serves the app. Must not know screens. */
import { type ReadonlySignal, signal } from '@preact/signals';

export type Place =
  | { readonly screen: 'inbox' }
  | { readonly screen: 'item'; readonly pairingId: string; readonly requestId: string }
  | { readonly screen: 'history' }
  | { readonly screen: 'settings' }
  | { readonly screen: 'pair' };

export interface Route {
  readonly place: ReadonlySignal<Place>;
  go(place: Place, options?: { replace?: boolean }): void;
  /** To where the person came from, or to the inbox. */
  back(): void;
}

const PLAIN = ['inbox', 'history', 'settings', 'pair'] as const;

export function parsePlace(hash: string): Place {
  const [screen = '', pairingId = '', requestId = ''] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  if (screen === 'item' && pairingId !== '' && requestId !== '') return { screen, pairingId, requestId };
  return { screen: PLAIN.find((one) => one === screen) ?? 'inbox' };
}

export function placeHash(place: Place): string {
  if (place.screen !== 'item') return `#/${place.screen}`;
  return `#/item/${encodeURIComponent(place.pairingId)}/${encodeURIComponent(place.requestId)}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export function openRoute(page: Window = window): Route {
  const place = signal(parsePlace(page.location.hash));
  let steps = 0;
  page.addEventListener('hashchange', () => {
    place.value = parsePlace(page.location.hash);
  });
  page.addEventListener('popstate', () => {
    steps = Math.max(0, steps - 1);
  });
  const go = (next: Place, options: { replace?: boolean } = {}) => {
    const hash = placeHash(next);
    if (options.replace) page.history.replaceState(null, '', hash);
    else {
      page.history.pushState(null, '', hash);
      steps += 1;
    }
    place.value = next;
  };
  const back = () => {
    if (steps > 0) page.history.back();
    else go({ screen: 'inbox' }, { replace: true });
  };
  return { place, go, back };
}
