/** A time. */
import type { BlockProps } from '../block.types.js';

export function DatetimeValue({ block, texts }: BlockProps) {
  return <span class="value-text">{texts.show(block.value)}</span>;
}
