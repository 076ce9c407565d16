/**
 * Flattens a view into neutral lines (06 §1) that every dialect renders. Lines hold text as a person reads it:
 * hidden characters visible, secrets masked. Must not know any chat or screen, nor tool names.
 */
import { collectSecrets, createMasker, isSecretBlock, MASK } from './mask.js';
import { type Block, rowName, type ValueType, type View } from './view.js';
import { escapeInvisible, escapeToLine } from './visible.js';

export type Line =
  | { kind: 'text'; text: string }
  | { kind: 'pair'; key: string; value: string; secret?: boolean }
  /** Shown in monospace, line breaks and blanks kept. */
  | { kind: 'pre'; label?: string; lang?: string; text: string };

export interface LineariseOptions {
  /** Default true: a secret shows only where the caller says false. */
  maskSecrets?: boolean | undefined;
}

const MONOSPACE: ReadonlySet<ValueType> = new Set(['code', 'command', 'diff']);
const LANG = /^[A-Za-z0-9_+#.-]{1,32}$/;
const CUT_NOTE = ' (cut)';

/**
 * Summary first, then one line per block, in order, each value whole. Take the view from `degradeView`.
 * Never throws.
 */
export function linearise(view: View, options: LineariseOptions = {}): Line[] {
  const mask = createMasker(options.maskSecrets === false ? [] : collectSecrets(view));
  const visible = (text: string) => escapeInvisible(mask(text));
  const oneLine = (text: string) => escapeToLine(mask(text));
  const summary: Line[] = view.summary === '' ? [] : [{ kind: 'text', text: oneLine(view.summary) }];
  return [...summary, ...view.blocks.map((block) => lineOf(block, visible, oneLine, options))];
}

function lineOf(
  block: Block,
  visible: (text: string) => string,
  oneLine: (text: string) => string,
  options: LineariseOptions,
): Line {
  const name = oneLine(rowName(block)) + (block.truncated === true ? CUT_NOTE : '');
  if (isSecretBlock(block)) {
    const value = options.maskSecrets === false ? visible(block.value) : MASK;
    return { kind: 'pair', key: name, value, secret: true };
  }
  const value = visible(block.value);
  if (!isMonospace(block)) return { kind: 'pair', key: name, value };
  return { kind: 'pre', label: name, ...langOf(block), text: value };
}

function isMonospace(block: Block): boolean {
  if (block.value_type === 'json') return block.value.includes('\n');
  return MONOSPACE.has(block.value_type ?? 'string');
}

function langOf(block: Block): { lang?: string } {
  if (block.value_type === 'diff' || block.value_type === 'json') return { lang: block.value_type };
  if (block.value_type === 'command') return { lang: 'sh' };
  return block.lang !== undefined && LANG.test(block.lang) ? { lang: block.lang } : {};
}
