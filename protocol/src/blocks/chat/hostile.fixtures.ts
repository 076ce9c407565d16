/** Views full of what chats would act on, for property tests alone. */
import fc from 'fast-check';
import { nastyText } from '../view.fixtures.js';
import { VALUE_TYPES } from '../view.js';
import { isWellFormed } from '../visible.js';

const trap = fc.constantFrom(
  '@everyone',
  '@here',
  '<!channel>',
  '<@U0123456>',
  '<@123456789012345678>',
  '<#C01>',
  '@ann_smith',
  '/start@some_bot',
  '#tag',
  '||hidden||',
  '[x](https://evil.example)',
  'https://matrix.to/#/@ann:example.org',
  '</code></pre><b>',
  '&lt;b&gt;',
  '```\n**x**\n```',
  '`````',
  '~~~',
  '\\',
  '*_~',
  '> quote',
  '# head',
  ':smile:',
  '\u{1F468}\u200D\u{1F469}',
  'e\u0301\u0302\u0303',
  '\u{1F600}',
);
export const hostileText = fc
  .array(fc.oneof(nastyText, trap, fc.lorem({ maxCount: 12 })), { maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter(isWellFormed);
const block = fc.record({
  type: fc.constant('block' as const),
  label: hostileText.map((text) => text || 'Value'),
  value: hostileText,
  value_type: fc.constantFrom(...VALUE_TYPES),
  lang: fc.constantFrom('ts', 'c++', 'x'),
});
export const hostileView = fc.record({
  v: fc.constant(1 as const),
  summary: hostileText,
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
});
