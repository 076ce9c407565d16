/** A screen as a fragment, and back. Pure: the service worker opens places too. */
export type Place =
  | { readonly screen: 'inbox' }
  | { readonly screen: 'item'; readonly pairingId: string; readonly requestId: string }
  | { readonly screen: 'history' }
  | { readonly screen: 'settings' }
  | { readonly screen: 'pair' };

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
