/** Generated views and hostile likenesses of them, for property tests alone. */
import fc from 'fast-check';
import { BLOCK_TYPES, type Block, VALUE_TYPES, type View } from './view.js';
import { isWellFormed } from './visible.js';

/** Text with astral, bidi, combining and control characters, markup and line breaks. */
export const nastyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }).filter(isWellFormed),
      fc.string({ unit: 'grapheme-composite', maxLength: 4 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n',
        '\t',
        '```',
        '<b>',
        '@all',
        '\u202E',
        '\u200B',
        'Risk: low',
        '    ',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

export const someBlock: fc.Arbitrary<Block> = fc
  .record({
    type: fc.constantFrom(...BLOCK_TYPES),
    name: nastyText.map((text) => text || 'Value'),
    value: nastyText,
    value_type: fc.constantFrom(...VALUE_TYPES),
  })
  .map(({ type, name, ...rest }) =>
    type === 'key_value' ? { type, key: name, ...rest } : { type, label: name, ...rest },
  );

export const someView: fc.Arbitrary<View> = fc.record({
  v: fc.constant(1 as const),
  summary: nastyText,
  blocks: fc.array(someBlock, { minLength: 1, maxLength: 6 }),
});
