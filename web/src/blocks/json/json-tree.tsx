/** JSON as a tree: all of it unfolded, branches close on tap, secrets masked until held. */
import './json.css';
import type { Texts } from '../block.types.js';
import { HeldSecret } from '../secret/held-secret.js';
import type { JsonEntry, JsonNode } from './json-nodes.js';

export function JsonTree({ node, texts }: { node: JsonNode; texts: Texts }) {
  return (
    <div class="tree">
      <Node node={node} texts={texts} />
    </div>
  );
}

function Node({ node, texts }: { node: JsonNode; texts: Texts }) {
  switch (node.kind) {
    case 'secret':
      return <HeldSecret value={node.text} />;
    case 'word':
      return <code class="tree-word">{node.text}</code>;
    case 'string':
      if (texts.hides(node.text)) return <HeldSecret value={node.text} />;
      return <code class="tree-text">{node.text === '' ? '""' : texts.show(node.text)}</code>;
    case 'object':
    case 'array':
      if (node.entries.length === 0)
        return <code class="tree-word">{node.kind === 'object' ? '{}' : '[]'}</code>;
      return (
        <ul>
          {node.entries.map((entry) => (
            <Entry key={entry.name} entry={entry} isList={node.kind === 'array'} texts={texts} />
          ))}
        </ul>
      );
  }
}

function Entry({ entry, isList, texts }: { entry: JsonEntry; isList: boolean; texts: Texts }) {
  const { name, node } = entry;
  const label = <span class={isList ? 'tree-index' : 'tree-name'}>{isList ? name : texts.line(name)}</span>;
  const isBranch = (node.kind === 'object' || node.kind === 'array') && node.entries.length > 0;
  if (!isBranch) {
    return (
      <li class="tree-leaf">
        {label} <Node node={node} texts={texts} />
      </li>
    );
  }
  return (
    <li>
      <details open>
        <summary>{label}</summary>
        <Node node={node} texts={texts} />
      </details>
    </li>
  );
}
