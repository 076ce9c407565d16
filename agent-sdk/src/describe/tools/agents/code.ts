/** Code given to an interpreter: no command line, and yet it can do all that one can. */
import { end, middle } from '../../describer.js';
import type { Given } from '../given.js';
import { hiddenReasons, high, listed, normal, shown, type Told, watchOut } from '../told.js';

/** Code given to an interpreter: no command line, and yet it can do all that one can. */
export function toldCode(given: Given): Told | undefined {
  const code = given.text('code', 'source', 'python_code', 'script', 'python', 'cell', 'query', 'command');
  if (code === undefined) return undefined;
  const language = given.text('language', 'lang', 'kernel') ?? 'code';
  const reaches = CODE_REACHES.filter(([expression]) => expression.test(code.slice(0, 100_000))).map(
    ([, words]) => words,
  );
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

const CODE_REACHES: readonly (readonly [expression: RegExp, words: string])[] = [
  [
    /\b(?:subprocess|os\.system|os\.popen|child_process|execSync|spawnSync|Runtime\.getRuntime|pty\.spawn)\b/,
    'starts other programs',
  ],
  [
    /\b(?:shutil\.rmtree|os\.remove|os\.unlink|rmSync|unlinkSync|fs\.rm\b|rimraf|\.unlink\()/,
    'deletes files',
  ],
  [
    /\b(?:requests\.|urllib|httpx|aiohttp|socket\.|fetch\(|axios|XMLHttpRequest|http\.client|smtplib)/,
    'talks to other machines',
  ],
  [/\b(?:eval|exec|compile|__import__|Function)\s{0,3}\(/, 'makes code while it runs'],
  [/\b(?:os\.environ|process\.env|getenv)\b/, 'looks into the environment'],
];
