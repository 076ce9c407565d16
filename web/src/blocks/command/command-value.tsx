/** A command line in monospace, with a way to copy it. */
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';

export function CommandValue({ block, texts }: BlockProps) {
  const copy = texts.hides(block.value) ? undefined : block.value;
  return <Monospace text={texts.show(block.value)} copy={copy} wraps />;
}
