/** One item whole, and the decision. */
import { useApp } from '../../app/use-app.js';
import type { Place } from '../../state/route.js';

export function ItemScreen({ place }: { place: Extract<Place, { screen: 'item' }> }) {
  const { device } = useApp();
  const item = device.inbox.value.items.find(
    (one) => one.pairingId === place.pairingId && one.requestId === place.requestId,
  );
  return <div class="screen">{item?.summary}</div>;
}
