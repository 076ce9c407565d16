/** Markdown. */
import type { BlockProps } from '../block.types.js';

export function MarkdownValue({ block, texts }: BlockProps) {
  return <div class="value-text value-body">{texts.show(block.value)}</div>;
}
