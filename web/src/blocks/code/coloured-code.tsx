/** Code with its words coloured, by highlight.js as a tree: no markup is ever made from text. Loaded when needed. */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import type { CodeTextProps } from './code-value.js';

const colours = createLowlight({
  bash,
  c,
  css,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
colours.registerAlias({ javascript: ['mjs', 'cjs'], typescript: ['mts', 'cts'], c: ['h', 'cpp', 'hpp'] });

/** More is shown plain: colouring it would hold the page up. */
export const MAX_COLOURED_UNITS = 60_000;

type Nodes = ReturnType<typeof colours.highlight>['children'];

export function ColouredCode({ text, lang }: CodeTextProps) {
  const nodes = useMemo(() => colour(text, lang), [text, lang]);
  return <>{nodes === undefined ? text : nodes.map(show)}</>;
}

function colour(text: string, lang: string | undefined): Nodes | undefined {
  if (lang === undefined || text.length > MAX_COLOURED_UNITS || !colours.registered(lang)) return undefined;
  return colours.highlight(lang, text).children;
}

function show(node: Nodes[number]): ComponentChild {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const names = node.properties.className;
  return (
    <span class={Array.isArray(names) ? names.join(' ') : undefined}>
      {node.children.map((child) => show(child as Nodes[number]))}
    </span>
  );
}
