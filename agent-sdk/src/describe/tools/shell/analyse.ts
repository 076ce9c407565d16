/**
 * What a script does, as far as its text tells: effects, who it runs as, where. Looks into the shells it starts and
 * the texts it feeds them. A reading aid, never a gate. Must not know tools.
 */

import { isNowhere, isSecretFile } from '../paths.js';
import { type Effect, effect } from './effect.js';
import { readPowerShell } from './powershell.js';
import { addressesOf, effectsOfProgram, onlyReads, written } from './programs/index.js';
import { EMPTY_STEP, readScript, type Script, type Step } from './script.js';
import { type Invocation, isShell, unwrap } from './unwrap.js';
import { readLine } from './words.js';

export type Dialect = 'posix' | 'powershell' | 'cmd';

export interface Analysis {
  readonly effects: readonly Effect[];
  /** Users it switches to: `root`. */
  readonly users: readonly string[];
  readonly places: readonly string[];
  readonly programs: readonly string[];
  /** The top-level statements without comments between them. */
  readonly statements: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Programs that are written in disguise. */
  readonly disguised: readonly string[];
  readonly broken: boolean;
  readonly cut: boolean;
  /** Every command in it only looks. */
  readonly onlyReads: boolean;
}

/** A function that pipes into itself in the background. */
const FORK_BOMB = /(?:^|[\s;])([\w:.]{1,32})\s{0,8}\(\)\s{0,8}\{\s{0,8}\1\s{0,8}\|\s{0,8}\1\s{0,8}&/;

const MAX_DEPTH = 6;
/** Of all scripts within the script together. */
const MAX_UNITS = 160_000;
const MAX_INVOCATIONS = 1_000;
const MAX_EFFECTS = 200;
const DOWNLOADERS: ReadonlySet<string> = new Set([
  'curl',
  'wget',
  'fetch',
  'aria2c',
  'iwr',
  'irm',
  'invoke-webrequest',
  'invoke-restmethod',
]);
const INTERPRETERS: ReadonlySet<string> = new Set([
  'python',
  'python2',
  'python3',
  'perl',
  'ruby',
  'node',
  'php',
  'deno',
  'iex',
  'invoke-expression',
  'pwsh',
  'powershell',
]);
const RUNS_ITS_WORDS: ReadonlySet<string> = new Set(['eval', 'source', '.', 'iex', 'invoke-expression']);
const CHANGES_PROGRAMS =
  /^(?:PATH|LD_.+|DYLD_.+|BASH_ENV|ENV|PROMPT_COMMAND|IFS|NODE_OPTIONS|PYTHONPATH|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_SSH_COMMAND|GIT_EXEC_PATH)$/;

/** Never throws; bounded in time by the limits above. */
export function analyse(source: string, dialect: Dialect = 'posix'): Analysis {
  const analyst = new Analyst();
  const script = analyst.script(source, dialect, 0);
  return analyst.result(script);
}

class Analyst {
  readonly #effects: Effect[] = [];
  readonly #users = new Set<string>();
  readonly #places = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #env: { name: string; value: string }[] = [];
  readonly #disguised = new Set<string>();
  /** Files the script itself made, by name: downloaded from, or filled with. */
  readonly #downloads = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  #dir = '';
  #units = 0;
  #invocations = 0;
  #cut = false;
  #broken = false;
  #reads = true;

  result(script: Script): Analysis {
    return {
      effects: this.#effects,
      users: [...this.#users],
      places: [...this.#places],
      programs: [...this.#programs],
      statements: script.statements,
      env: this.#env,
      disguised: [...this.#disguised],
      broken: this.#broken,
      cut: this.#cut || script.cut,
      onlyReads: this.#reads && !this.#broken && !this.#cut && !script.cut && this.#effects.length === 0,
    };
  }

  script(source: string, dialect: Dialect, depth: number): Script {
    this.#units += source.length;
    if (depth > MAX_DEPTH || this.#units > MAX_UNITS) {
      this.#cut = true;
      return { steps: [], statements: [], broken: false, cut: true, functions: [] };
    }
    const script = dialect === 'posix' ? readScript(source) : readPowerShell(source, dialect);
    this.#broken ||= script.broken;
    this.#cut ||= script.cut;
    if (FORK_BOMB.test(source.slice(0, MAX_UNITS)))
      this.#addAll([effect('halts', 'the machine (it starts itself without end)', 'high')]);
    for (const step of script.steps) this.#step(step, depth);
    return script;
  }

  #step(step: Step, depth: number): void {
    this.#invocations += 1;
    if (this.#invocations > MAX_INVOCATIONS) {
      this.#cut = true;
      return;
    }
    if (step.disguised) this.#disguised.add(step.words[0] ?? '');
    for (const variable of step.env) this.#variable(variable.name, variable.value);
    this.#addAll(step.redirects.flatMap((redirect) => this.#redirected(redirect, step)));
    const invocation = unwrap(step);
    this.#note(invocation);
    this.#addAll(this.#effectsOf(invocation, depth));
  }

  #note({ programs, user, place, args, program, step }: Invocation): void {
    for (const name of programs) if (name !== '' && !/[$`]/.test(name)) this.#programs.add(name);
    if (user !== undefined) this.#users.add(user);
    if (place !== undefined) this.#places.add(place);
    const [word = ''] = step.words;
    const elsewhere = /[/\\]/.test(word) && !/^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(word);
    if (!onlyReads(program, args) || elsewhere || user !== undefined || place !== undefined)
      this.#reads = false;
  }

  #effectsOf(invocation: Invocation, depth: number): Effect[] {
    const { program, args, step } = invocation;
    if (/^(?:cd|pushd|chdir|set-location|sl)$/.test(program))
      this.#dir = this.#path(readLine(args).operands[0] ?? '~');
    if (/^(?:export|declare|typeset|readonly|setx|set)$/.test(program)) this.#exported(args);
    this.#remember(invocation);
    const effects = [
      ...this.#unseen(invocation),
      ...this.#fed(invocation, depth),
      ...invocation.scripts.flatMap((text) => this.#inner(text, depth, invocation.place)),
      ...effectsOfProgram({
        ...{
          program,
          args,
          fed: invocation.fed,
          input: step.input,
          path: (operand: string) => this.#path(operand),
        },
        command: (words) => this.#started(words, depth + 1),
        script: (text, dialect) => this.#inner(text, depth, undefined, dialect),
      }),
    ];
    const { place } = invocation;
    return place === undefined || step.words.length === 0 ? effects : effects.map((one) => at(one, place));
  }

  #started(words: readonly string[], depth: number): Effect[] {
    this.#invocations += 1;
    if (depth <= MAX_DEPTH && this.#invocations <= MAX_INVOCATIONS) {
      return this.#effectsOf(unwrap({ ...EMPTY_STEP, words }), depth);
    }
    this.#cut = true;
    return [];
  }

  /** A script within the script; what it does joins what the whole does. */
  #inner(text: string, depth: number, place: string | undefined, dialect: Dialect = 'posix'): Effect[] {
    const [before, dir] = [this.#effects.length, this.#dir];
    this.script(text, dialect, depth + 1);
    this.#dir = dir;
    const made = this.#effects.splice(before);
    return place === undefined ? made : made.map((one) => at(one, place));
  }

  /** Code that appears only when it runs: `curl … | sh`, `eval "$(…)"`, `$TOOL x`, a file made a line before. */
  #unseen({ program, args, step }: Invocation): Effect[] {
    const [word = ''] = step.words;
    if (/^[$`]/.test(word)) return [madeBy(step, word)];
    const runs = isShell(program) || INTERPRETERS.has(program) || RUNS_ITS_WORDS.has(program);
    const { operands } = readLine(args);
    const file = this.#path(runs ? (operands[0] ?? '') : word);
    const address = this.#downloads.get(file.replace(/^\.\//, ''));
    if (address !== undefined) return [effect('runs_download', address, 'high')];
    if (!runs) return [];
    const origin =
      downloadedBy(step.inside) ??
      (step.pipedFrom === undefined ? undefined : downloadedBy(chainOf(step.pipedFrom)));
    if (origin !== undefined) return [effect('runs_download', origin, 'high')];
    const made = RUNS_ITS_WORDS.has(program) || args.includes('-c') ? step.inside : [];
    return made.length === 0 ? [] : [effect('runs_hidden', namesOf(made), decodes(made) ? 'high' : 'normal')];
  }

  /** A shell that reads its script from a pipe, a here-document, or a file the script wrote. */
  #fed({ program, args, step }: Invocation, depth: number): Effect[] {
    const { operands } = readLine(args, ['-o', '-O']);
    const text = this.#texts.get(
      this.#path(isShell(program) ? (operands[0] ?? '') : (step.words[0] ?? '')).replace(/^\.\//, ''),
    );
    if (text !== undefined) return this.#inner(text, depth, undefined);
    const interpreter = isShell(program) || INTERPRETERS.has(program);
    const readsInput = operands.length === 0 || operands[0] === '-' || args.includes('-s');
    if (!interpreter || !readsInput || args.includes('-c')) return [];
    if (step.input !== undefined)
      return isShell(program) ? this.#inner(step.input, depth, undefined) : [effect('runs_code', program)];
    if (step.pipedFrom === undefined) return [];
    const chain = chainOf(step.pipedFrom);
    if (downloadedBy(chain) !== undefined) return [];
    const said = chain.length === 1 && isShell(program) ? saidBy(chain[0]) : undefined;
    return said === undefined
      ? [effect('runs_hidden', namesOf(chain), 'high')]
      : this.#inner(said, depth, undefined);
  }

  #remember({ program, args, step }: Invocation): void {
    const target = step.redirects.find(({ operator }) => operator === '>' || operator === '>|')?.target;
    if (DOWNLOADERS.has(program)) {
      const [address = ''] = addressesOf(program, args);
      const at = args.findIndex((word) => /^(?:-o|--output|-O|--output-document|-OutFile)$/i.test(word));
      for (const file of [target, args[at + 1]])
        if (file !== undefined && (at !== -1 || file === target))
          this.#downloads.set(this.#name(file), address);
    }
    const text = step.input ?? saidBy(step);
    if (target !== undefined && text !== undefined && /^(?:cat|echo|printf|tee)$/.test(program))
      this.#texts.set(this.#name(target), text);
  }

  #name(file: string): string {
    return this.#path(file).replace(/^\.\//, '');
  }

  #redirected({ operator, target, descriptor }: Step['redirects'][number], step: Step): Effect[] {
    if (operator === '<')
      return isSecretFile(target) ? [effect('reads_secrets', this.#path(target), 'high')] : [];
    if (isNowhere(target) || (operator === '>&' && /^\d+-?$/.test(target))) return [];
    const appends = operator === '>>' || operator === '&>>';
    if (descriptor === 2 && step.words.length > 0 && /\.log$/.test(target))
      return [effect('writes', this.#path(target))];
    return [written(this.#path(target), appends ? 'appends' : 'overwrites')];
  }

  #variable(name: string, value: string): void {
    if (this.#env.length < MAX_EFFECTS) this.#env.push({ name, value });
    if (CHANGES_PROGRAMS.test(name))
      this.#addAll([effect('changes', `which programs run (${name})`, name === 'PATH' ? 'normal' : 'high')]);
  }

  #exported(args: readonly string[]): void {
    for (const word of args) {
      const [, name, value] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word) ?? [];
      if (name !== undefined && value !== undefined) this.#variable(name, value);
    }
  }

  /** Seen from where `cd` went: `cd / && rm -rf *` deletes `/*`. */
  #path(operand: string): string {
    if (operand === '' || this.#dir === '' || /^(?:[/~$\\-]|[A-Za-z]:)/.test(operand)) return operand;
    return `${this.#dir.replace(/\/+$/, '')}/${operand.replace(/^\.\//, '')}`;
  }

  #addAll(effects: readonly Effect[]): void {
    const room = Math.max(0, MAX_EFFECTS - this.#effects.length);
    if (effects.length > room) this.#cut = true;
    this.#effects.push(...effects.slice(0, room));
  }
}

function at(one: Effect, place: string): Effect {
  return one.target === place || one.target.endsWith(` on ${place}`)
    ? one
    : { ...one, target: `${one.target} on ${place}` };
}

/** The program itself is an expansion: whatever comes out of it runs. */
function madeBy({ inside }: Step, word: string): Effect {
  const origin = downloadedBy(inside);
  if (origin !== undefined) return effect('runs_download', origin, 'high');
  return effect('runs_hidden', inside.length === 0 ? word : namesOf(inside), 'high');
}

/** The commands before a pipe, first one first. */
function chainOf(last: Step): Step[] {
  const chain: Step[] = [];
  for (let step: Step | undefined = last; step !== undefined && chain.length < 50; step = step.pipedFrom)
    chain.unshift(step);
  return chain;
}

function downloadedBy(steps: readonly Step[]): string | undefined {
  for (const step of steps) {
    const { program, args } = unwrap(step);
    if (DOWNLOADERS.has(program)) return addressesOf(program, args)[0] ?? program;
  }
  return undefined;
}

function namesOf(steps: readonly Step[]): string {
  return (
    [...new Set(steps.map((step) => unwrap(step).program).filter((name) => name !== ''))]
      .slice(0, 4)
      .join(' | ') || 'an expansion'
  );
}

function decodes(steps: readonly Step[]): boolean {
  return steps.some((step) =>
    /^(?:base64|base32|xxd|openssl|gunzip|zcat|gpg|rev|tr)$/.test(unwrap(step).program),
  );
}

/** The text `echo` or `printf` writes, when it is there to be read. */
function saidBy(step: Step | undefined): string | undefined {
  const [program = '', ...args] = step?.words ?? [];
  if (!/^(?:echo|printf)$/.test(program) || args.length === 0) return undefined;
  const text = args.filter((word) => !/^-[neE]+$/.test(word)).join(' ');
  return /\\x|\\0|\$\(/.test(text) ? undefined : text.replaceAll('\\n', '\n');
}
