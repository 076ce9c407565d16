/**
 * The block vocabulary of 03 §4 as senders must write it: one zod schema, types inferred. Must not know tools,
 * surfaces or how a damaged view is read (degrade.ts).
 */
import { z } from 'zod';
import { CONTENT } from '../frames/index.js';
import { isSummaryLine } from './shorten.js';
import { isWellFormed } from './visible.js';

export const BLOCK_TYPES = ['key_value', 'field', 'block'] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

export const VALUE_TYPES = [
  'string',
  'text',
  'markdown',
  'code',
  'diff',
  'command',
  'email',
  'url',
  'path',
  'json',
  'number',
  'boolean',
  'datetime',
  'secret',
] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

const text = z.string().refine(isWellFormed, 'is not well-formed Unicode');
const name = text.min(1);

const value = {
  /** Always a string, whatever its value type. */
  value: text,
  value_type: z.enum(VALUE_TYPES).optional(),
  /** Programming language of `code`, for highlighting only. */
  lang: text.max(32).optional(),
  /** The value was cut by its sender; `value_len` is its whole length in UTF-16 units. */
  truncated: z.boolean().optional(),
  value_len: z.int().nonnegative().optional(),
};

/** A row as senders write it: `key_value` has a `key`, the others a `label`. */
export const blockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('key_value'), key: name, ...value }),
  z.strictObject({ type: z.literal('field'), label: name, ...value }),
  z.strictObject({ type: z.literal('block'), label: name, ...value }),
]);

/** A view as senders write it; what receivers take is told by `degradeView`. */
export const viewSchema = z.strictObject({
  v: z.literal(CONTENT.viewVersion),
  summary: text.refine(isSummaryLine, 'is not one escaped line of at most 120 code points and 480 bytes'),
  blocks: z.array(blockSchema).min(1),
});

export type Block = z.infer<typeof blockSchema>;
export type View = z.infer<typeof viewSchema>;

/** Name of a block's row. */
export function rowName(block: Block): string {
  return block.type === 'key_value' ? block.key : block.label;
}
