/** JSON: a tree where it is JSON, the text as it is where it is not. */
import { useMemo } from 'preact/hooks';
import type { BlockProps, Texts } from '../block.types.js';
import { Monospace } from '../monospace.js';
import { jsonNodes } from './json-nodes.js';
import { JsonTree } from './json-tree.js';

export function JsonValue({ block, texts }: BlockProps) {
  return <JsonText text={block.value} texts={texts} />;
}

export function JsonText({ text, texts }: { text: string; texts: Texts }) {
  const node = useMemo(() => jsonNodes(text), [text]);
  if (node === undefined) return <Monospace text={texts.show(text)} wraps />;
  return <JsonTree node={node} texts={texts} />;
}
