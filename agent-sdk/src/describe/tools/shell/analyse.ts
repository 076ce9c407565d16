/**
 * What a script does, as far as its text tells: effects, who it runs as, where. Looks into the shells it starts and
 * the texts it feeds them. A reading aid, never a gate. Must not know tools.
 */

import { isNowhere, isSecretFile } from '../paths.js';
import { type Effect, effect } from './effect.js';
import { MadeFiles } from './made-files.js';
import {
  chainOf,
  downloadedBy,
  isInterpreter,
  madeBy,
  namesOf,
  runsCode,
  saidBy,
  unseenCode,
} from './origin.js';
import { readPowerShell } from './powershell.js';
import { effectsOfProgram, onlyReads, written } from './programs/index.js';
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
  readonly #made = new MadeFiles();
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
    this.#made.remember(invocation, (file) => this.#name(file));
    const effects = [
      ...(invocation.hostWide ? [effect('reaches_machine', 'a container with its rights', 'high')] : []),
      ...this.#unseen(invocation),
      ...this.#fed(invocation, depth),
      ...invocation.scripts.flatMap((text) => this.#inner(text, depth, invocation.place)),
      ...effectsOfProgram({
        program,
        args,
        fed: invocation.fed,
        input: step.input,
        path: (operand) => this.#path(operand),
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
  #unseen(invocation: Invocation): Effect[] {
    const { program, args, step } = invocation;
    const [word = ''] = step.words;
    // `{rm,-rf,~}` becomes three words.
    if (/^(?:[$`]|\{[^}]{0,1000},)/.test(word)) return [madeBy(step, word)];
    const runs = runsCode(program);
    const address = this.#made.addressOf(this.#name(runs ? (readLine(args).operands[0] ?? '') : word));
    if (address !== undefined) return [effect('runs_download', address, 'high')];
    return runs ? unseenCode(invocation) : [];
  }

  /** A shell that reads its script from a pipe, a here-document, or a file the script wrote. */
  #fed({ program, args, step }: Invocation, depth: number): Effect[] {
    const { operands } = readLine(args, ['-o', '-O']);
    const [first = ''] = isShell(program) ? operands : step.words;
    const text = this.#made.textOf(this.#name(first));
    if (text !== undefined) return this.#inner(text, depth, undefined);
    const readsInput = operands.length === 0 || operands[0] === '-' || args.includes('-s');
    if (!isInterpreter(program) || !readsInput || args.includes('-c')) return [];
    if (step.input === undefined)
      return step.pipedFrom === undefined ? [] : this.#piped(program, step.pipedFrom, depth);
    return isShell(program) ? this.#inner(step.input, depth, undefined) : [effect('runs_code', program)];
  }

  #piped(program: string, from: Step, depth: number): Effect[] {
    const chain = chainOf(from);
    if (downloadedBy(chain) !== undefined) return [];
    const said = chain.length === 1 && isShell(program) ? saidBy(chain[0]) : undefined;
    return said === undefined
      ? [effect('runs_hidden', namesOf(chain), 'high')]
      : this.#inner(said, depth, undefined);
  }

  #name(file: string): string {
    return this.#path(file).replace(/^\.\//, '');
  }

  #redirected({ operator, target, descriptor }: Step['redirects'][number], step: Step): Effect[] {
    if (operator === '<')
      return isSecretFile(target) ? [effect('reads_secrets', this.#path(target), 'high')] : [];
    if (isNowhere(target) || (operator === '>&' && /^\d+-?$/.test(target))) return [];
    const appends = operator === '>>' || operator === '&>>';
    if (descriptor === 2 && step.words.length > 0 && target.endsWith('.log'))
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
