/** What a socket reported and what waits in a connection's inbox. */
export type Inbound =
  | { readonly kind: 'greet' }
  | { readonly kind: 'message'; readonly data: Uint8Array; readonly binary: boolean }
  | { readonly kind: 'ping'; readonly payload: Uint8Array };

export function sizeOf(item: Inbound): number {
  if (item.kind === 'message') return item.data.length;
  return item.kind === 'ping' ? item.payload.length : 0;
}
