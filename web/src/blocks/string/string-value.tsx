/** Plain text: what has line breaks keeps them. */
import type { BlockProps } from '../block.types.js';

export function StringValue({ block, texts }: BlockProps) {
  return <span class="value-text">{texts.show(block.value)}</span>;
}
