/** A JSON text or value as a tree to be shown, numbers as they were written. Pure. */
import { isSecretMember } from '@countersign/protocol/blocks';
import { JsonNumber, type LexemeJson, parseWithLexemes } from '@countersign/protocol/json';

export type JsonNode =
  | { readonly kind: 'object' | 'array'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'secret'; readonly text: string };

export interface JsonEntry {
  readonly name: string;
  readonly node: JsonNode;
}

/** A larger value is shown as text: a tree of it would be slow, and nobody unfolds it. */
export const MAX_NODES = 5000;
export const MAX_TREE_BYTES = 262_144;
const MAX_DEPTH = 60;

/** Undefined for what is no JSON, or too large or deep for a tree. */
export function jsonNodes(text: string): JsonNode | undefined {
  try {
    const value = parseWithLexemes(text, { maxBytes: MAX_TREE_BYTES, maxDepth: MAX_DEPTH });
    const budget = { left: MAX_NODES };
    const node = nodeOf(value, false, budget);
    return budget.left < 0 ? undefined : node;
  } catch {
    return undefined;
  }
}

function nodeOf(value: LexemeJson, secret: boolean, budget: { left: number }): JsonNode {
  budget.left -= 1;
  if (budget.left < 0) return { kind: 'word', text: '' };
  if (Array.isArray(value)) {
    const entries = value.map((item, at) => ({ name: String(at), node: nodeOf(item, secret, budget) }));
    return { kind: 'array', entries };
  }
  if (value instanceof JsonNumber) return { kind: secret ? 'secret' : 'word', text: value.lexeme };
  if (typeof value === 'string') return { kind: secret && value !== '' ? 'secret' : 'string', text: value };
  if (value === null || typeof value === 'boolean') return { kind: 'word', text: String(value) };
  const entries = Object.entries(value).map(([name, member]) => ({
    name,
    node: nodeOf(member, secret || isSecretMember(name, plainOf(member)), budget),
  }));
  return { kind: 'object', entries };
}

function plainOf(value: LexemeJson): unknown {
  return value instanceof JsonNumber ? Number(value.lexeme) : value;
}
