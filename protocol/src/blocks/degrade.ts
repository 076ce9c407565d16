/**
 * Reads a view of any sender and any age into the vocabulary this side knows (03 §4): nothing is skipped, nothing
 * throws. Must not know tools or surfaces.
 */
import { CONTENT } from '../frames/index.js';
import { jsonText } from './json-text.js';
import { BLOCK_TYPES, type Block, type BlockType, VALUE_TYPES, type ValueType, type View } from './view.js';

const UNNAMED = 'Value';

type Fields = Readonly<Record<string, unknown>>;

/** What stands beside a view in its item. */
export interface BesideView {
  /** The item's `v`: governs a bare list of blocks. */
  v?: unknown;
  /** The item's summary: repeated in a view that has none. */
  summary?: string | undefined;
}

/**
 * The view that can be shown, or none: then surfaces show summary, `detail` and arguments. A bare list is taken as
 * version 1 unless `beside.v` says otherwise; another version, no list and an empty list are no view. The texts are
 * as received: not yet escaped, shortened or masked.
 */
export function degradeView(value: unknown, beside: BesideView = {}): { view?: View } {
  const found = locate(value, beside);
  if (found === undefined || found.v !== CONTENT.viewVersion || found.blocks.length === 0) return {};
  const summary = typeof found.summary === 'string' ? found.summary : (beside.summary ?? '');
  return { view: { v: CONTENT.viewVersion, summary, blocks: found.blocks.map(degradeBlock) } };
}

function locate(value: unknown, beside: BesideView) {
  if (Array.isArray(value)) {
    return { v: beside.v ?? CONTENT.viewVersion, summary: undefined, blocks: value as unknown[] };
  }
  if (!isFields(value)) return undefined;
  const blocks = own(value, 'blocks');
  if (!Array.isArray(blocks)) return undefined;
  return { v: own(value, 'v'), summary: own(value, 'summary'), blocks: blocks as unknown[] };
}

function degradeBlock(block: unknown): Block {
  if (!isFields(block) || own(block, 'value') === undefined) {
    return { type: 'key_value', key: UNNAMED, value: jsonText(block), value_type: 'json' };
  }
  const type = knownType(own(block, 'type'));
  const name = asText(own(block, 'key') ?? own(block, 'label') ?? UNNAMED);
  const rest = { value: asText(own(block, 'value')), value_type: knownValueType(own(block, 'value_type')) };
  const named = type === 'key_value' ? { type, key: name, ...rest } : { type, label: name, ...rest };
  return { ...named, ...hints(block) };
}

function hints(block: Fields): Pick<Block, 'lang' | 'truncated' | 'value_len'> {
  const lang = own(block, 'lang');
  const length = own(block, 'value_len');
  return {
    ...(typeof lang === 'string' ? { lang } : {}),
    ...(own(block, 'truncated') === true ? { truncated: true } : {}),
    ...(typeof length === 'number' ? { value_len: length } : {}),
  };
}

function knownType(type: unknown): BlockType {
  return BLOCK_TYPES.find((known) => known === type) ?? 'key_value';
}

function knownValueType(type: unknown): ValueType {
  return VALUE_TYPES.find((known) => known === type) ?? 'string';
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself: `{}` has no `constructor`. */
function own(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
