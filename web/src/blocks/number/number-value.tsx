/** A number as it was sent: digits are not regrouped, so that nothing is read into them. */
import type { BlockProps } from '../block.types.js';

export function NumberValue({ block, texts }: BlockProps) {
  return <span class="value-number">{texts.show(block.value)}</span>;
}
