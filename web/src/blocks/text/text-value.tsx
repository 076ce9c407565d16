/** Text of several lines, as it was written. */
import type { BlockProps } from '../block.types.js';

export function TextValue({ block, texts }: BlockProps) {
  return <div class="value-text value-body">{texts.show(block.value)}</div>;
}
