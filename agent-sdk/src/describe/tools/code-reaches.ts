/** What code in a general language may reach, as far as its words tell. Must not know tools. */

/** Longer code is looked at this far. */
const MAX_UNITS = 100_000;

/** Clauses such as "deletes files". Never throws. */
export function codeReaches(code: string): string[] {
  const seen = code.slice(0, MAX_UNITS);
  return CODE_REACHES.filter(([expression]) => expression.test(seen)).map(([, words]) => words);
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
