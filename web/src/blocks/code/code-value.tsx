/** Code in monospace, with a way to copy it. */
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';

export function CodeValue({ block, texts }: BlockProps) {
  return (
    <Monospace text={texts.show(block.value)} copy={texts.hides(block.value) ? undefined : block.value} />
  );
}
