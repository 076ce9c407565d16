/** An address. */

import type { BlockProps } from '../block.types.js';
import { TapToOpen } from '../tap-to-open.js';

export function EmailValue({ block, texts }: BlockProps) {
  const target = texts.hides(block.value) ? undefined : mailTarget(block.value);
  return <TapToOpen text={texts.show(block.value)} target={target} />;
}

const ADDRESS = /^[^\s<>@"(),:;[\]\\]+@[^\s<>@"(),:;[\]\\]+$/;

/** Only a plain single address: anything else could hold headers. */
export function mailTarget(value: string): string | undefined {
  return ADDRESS.test(value) ? `mailto:${encodeURIComponent(value).replace('%40', '@')}` : undefined;
}
