/** A web address: the tap shows where it truly leads, a second act opens it. */

import { parseUrl } from '@countersign/protocol';
import type { BlockProps } from '../block.types.js';
import { TapToOpen } from '../tap-to-open.js';

export function UrlValue({ block, texts }: BlockProps) {
  const target = texts.hides(block.value) ? undefined : webTarget(block.value);
  return <TapToOpen text={texts.show(block.value)} target={target} />;
}

/** As the browser would open it: look-alike letters of a host become visible (Punycode). */
export function webTarget(value: string): string | undefined {
  const url = parseUrl(value);
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
