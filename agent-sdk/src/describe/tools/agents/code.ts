/** Code given to an interpreter: no command line, and yet it can do all that one can. */
import { end, middle } from '../../describer.js';
import { codeReaches } from '../code-reaches.js';
import type { Given } from '../given.js';
import { hiddenReasons, high, listed, normal, shown, type Told, watchOut } from '../told.js';

/** Code given to an interpreter: no command line, and yet it can do all that one can. */
export function toldCode(given: Given): Told | undefined {
  const code = given.text('code', 'source', 'python_code', 'script', 'python', 'cell', 'query', 'command');
  if (code === undefined) return undefined;
  const language = given.text('language', 'lang', 'kernel') ?? 'code';
  const reaches = codeReaches(code);
  return {
    summary: [
      'Run ',
      end(language === 'code' ? 'code' : language),
      ': ',
      middle(code.replace(/\s*\n\s*/g, ' ⏎ ')),
    ],
    blocks: [
      ...shown(
        'Code',
        code,
        'code',
        /^[A-Za-z0-9_+#.-]{1,32}$/.test(language) && language !== 'code' ? language : undefined,
      ),
      ...shown('Language', given.text('language', 'lang', 'kernel')),
      ...listed('Reaches', reaches),
      ...watchOut([code]),
    ],
    reasons: [
      ...reaches.map((words) => high(`the code ${words}`)),
      normal('runs code'),
      ...hiddenReasons([code]),
    ],
  };
}
