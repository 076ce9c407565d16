/** JSON. */
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';

export function JsonValue({ block, texts }: BlockProps) {
  return <Monospace text={texts.show(block.value)} />;
}
