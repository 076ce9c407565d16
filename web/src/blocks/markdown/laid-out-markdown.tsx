/**
 * Markdown as elements, from the syntax tree of micromark: no HTML is made or taken, pictures are not fetched, links
 * say where they lead. Whatever a reader could not see otherwise (raw HTML, definitions, titles) is shown as text.
 */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { TapToOpen } from '../tap-to-open.js';
import { webTarget } from '../url/url-value.js';
import type { MarkdownTextProps } from './markdown-value.js';

/** More is shown as it was written: laying it out would hold the page up. */
export const MAX_MARKDOWN_UNITS = 100_000;
const MAX_DEPTH = 40;

type Root = ReturnType<typeof fromMarkdown>;
type Nodes = Root | Root['children'][number];
type Parents = Extract<Nodes, { children: unknown }>;

export function LaidOutMarkdown({ text }: MarkdownTextProps) {
  const tree = useMemo(() => parse(text), [text]);
  if (tree === undefined) return <div class="value-text value-body">{text}</div>;
  return <div class="markdown">{show(tree, text, 0)}</div>;
}

function parse(text: string): Nodes | undefined {
  if (text.length > MAX_MARKDOWN_UNITS) return undefined;
  try {
    return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  } catch {
    return undefined;
  }
}

function show(node: Nodes, source: string, depth: number): ComponentChild {
  if (depth > MAX_DEPTH) return asWritten(node, source);
  const inner = () => children(node, source, depth);
  switch (node.type) {
    case 'root':
      return inner();
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'heading':
      return <p class="markdown-heading">{inner()}</p>;
    case 'emphasis':
      return <em>{inner()}</em>;
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'delete':
      return <del>{inner()}</del>;
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inner()}</ol> : <ul>{inner()}</ul>;
    case 'listItem':
      return (
        <li>
          {typeof node.checked === 'boolean' && (node.checked ? '☑ ' : '☐ ')}
          {inner()}
        </li>
      );
    case 'table':
      return <table>{inner()}</table>;
    case 'tableRow':
      return <tr>{inner()}</tr>;
    case 'tableCell':
      return <td>{inner()}</td>;
    case 'text':
      return node.value;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'code':
      return <pre class="mono-text">{node.lang ? asWritten(node, source) : node.value}</pre>;
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'link':
      return <Link url={node.url} title={node.title} text={inner()} />;
    case 'image':
      return <Link url={node.url} title={node.title} text={`🖼 ${node.alt ?? ''}`} />;
    default:
      // Raw HTML, definitions, footnotes, references: as they were written.
      return <span class="value-text">{asWritten(node, source)}</span>;
  }
}

function children(node: Nodes, source: string, depth: number): ComponentChild[] {
  return (node as Parents).children.map((child) => show(child, source, depth + 1));
}

function asWritten({ position }: Nodes, source: string): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

interface LinkProps {
  url: string;
  title: string | null | undefined;
  text: ComponentChild;
}

function Link({ url, title, text }: LinkProps) {
  return (
    <span>
      {text} (<TapToOpen text={url} target={webTarget(url)} />
      {title ? `, “${title}”` : ''})
    </span>
  );
}
