/** Which screen is open, kept in the fragment so that any static host serves the app. Must not know screens. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Place, parsePlace, placeHash } from './place.js';

export { type Place, parsePlace, placeHash } from './place.js';

export interface Route {
  readonly place: ReadonlySignal<Place>;
  go(place: Place, options?: { replace?: boolean }): void;
  /** To where the person came from, or to the inbox. */
  back(): void;
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
