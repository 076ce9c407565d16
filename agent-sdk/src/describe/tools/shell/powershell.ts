/**
 * PowerShell and cmd.exe scripts as commands: words, pipes and redirections, no more. Bounded and forgiving: it is for
 * showing. Must not know what any program does.
 */
import type { Dialect } from './analyse.js';
import { EMPTY_STEP, MAX_SCRIPT_UNITS, MAX_STEPS, type Redirect, type Script, type Step } from './script.js';

interface Token {
  readonly kind: 'word' | 'pipe' | 'end' | 'redirect';
  readonly text: string;
}

const BLANK = /[ \t\r\u00A0]/;

/** Never throws. */
export function readPowerShell(source: string, dialect: Dialect): Script {
  const text = source.slice(0, MAX_SCRIPT_UNITS);
  const { tokens, broken } = tokensOf(text, dialect === 'cmd' ? '^' : '`');
  const steps = stepsOf(tokens);
  const cut = source.length > text.length || steps.length > MAX_STEPS;
  return { steps: steps.slice(0, MAX_STEPS), statements: statementsOf(text), broken, cut, functions: [] };
}

/** Lines without comments, since no tree tells where statements end. */
function statementsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(?:#|rem\b|::)/i.test(line));
}

function tokensOf(text: string, escapeBy: string): { tokens: Token[]; broken: boolean } {
  const tokens: Token[] = [];
  let broken = false;
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const two = text.slice(at, at + 2);
    if (BLANK.test(character)) at += 1;
    else if (two === '<#') at = after(text, '#>', at + 2);
    else if (character === '#' && escapeBy === '`') at = lineEnd(text, at);
    else if (character === '\n' || '();{}'.includes(character) || two === '||' || character === '&') {
      tokens.push({ kind: 'end', text: character });
      at += two === '||' || two === '&&' ? 2 : 1;
    } else if (character === '|') {
      tokens.push({ kind: 'pipe', text: '|' });
      at += 1;
    } else if (
      /^(?:[0-9*]?>>?|<)/.test(text.slice(at, at + 3)) &&
      !/^[0-9*]?>&/.test(text.slice(at, at + 3))
    ) {
      const [operator = '>'] = /^(?:[0-9*]?>>?|<)/.exec(text.slice(at, at + 3)) ?? [];
      tokens.push({ kind: 'redirect', text: operator });
      at += operator.length;
    } else {
      const word = wordAt(text, at, escapeBy);
      broken ||= word.broken;
      tokens.push({ kind: 'word', text: word.text });
      at = Math.max(at + 1, word.end);
    }
  }
  return { tokens, broken };
}

function wordAt(
  text: string,
  start: number,
  escapeBy: string,
): { text: string; end: number; broken: boolean } {
  let out = '';
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (BLANK.test(character) || '\n;|&<>(){}'.includes(character)) break;
    if (character === escapeBy) {
      out += text.charAt(at + 1) === '\n' ? '' : text.charAt(at + 1);
      at += 2;
    } else if (character === '"' || (character === "'" && escapeBy === '`')) {
      const end = text.indexOf(character, at + 1);
      if (end === -1) return { text: out + text.slice(at + 1), end: text.length, broken: true };
      out += text.slice(at + 1, end);
      at = end + 1;
    } else {
      out += character;
      at += 1;
    }
  }
  return { text: out, end: at, broken: false };
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

function stepsOf(tokens: readonly Token[]): Step[] {
  const steps: Step[] = [];
  /** Commands whose brackets are open: what is in them is inside their words. */
  const outer: (Step & { inside: Step[] })[] = [];
  let words: string[] = [];
  let redirects: Redirect[] = [];
  let pipedFrom: Step | undefined;
  let called = false;
  const close = (piped: boolean) => {
    const step = { ...EMPTY_STEP, words: called ? words : started(words), redirects, pipedFrom, inside: [] };
    if (step.words.length > 0 || redirects.length > 0) {
      steps.push(step);
      outer.at(-1)?.inside.push(step);
    }
    pipedFrom = piped && step.words.length > 0 ? step : undefined;
    words = [];
    redirects = [];
    called = false;
    return step;
  };
  tokens.forEach(({ kind, text }, index) => {
    if (kind === 'end' || kind === 'pipe') {
      const closed = close(kind === 'pipe');
      called = text === '&';
      if (text === '(') outer.push(closed);
      else if (text === ')') outer.pop();
    } else if (kind === 'redirect') redirects.push(redirectAt(text, tokens[index + 1]));
    else if (tokens[index - 1]?.kind !== 'redirect') words.push(text);
  });
  close(false);
  return steps;
}

/** A variable that begins a command is a value, unless `&` calls it; `$x = …` runs what is behind it. */
function started(words: readonly string[]): readonly string[] {
  if (words[0]?.startsWith('$') !== true) return words;
  return words[1] === '=' ? words.slice(2) : [];
}

function redirectAt(text: string, next: Token | undefined): Redirect {
  return {
    operator: text.replace(/^[\d*]/, ''),
    target: next?.kind === 'word' ? next.text : '',
    descriptor: /^\d/.test(text) ? Number(text.charAt(0)) : undefined,
  };
}
