/** A difference, line by line. */
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';

export function DiffValue({ block, texts }: BlockProps) {
  return <Monospace text={texts.show(block.value)} />;
}
