/** A path: monospace, broken where a path may break. */
import type { BlockProps } from '../block.types.js';

export function PathValue({ block, texts }: BlockProps) {
  return <code class="value-path">{texts.show(block.value)}</code>;
}
