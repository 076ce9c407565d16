/**
 * A script as the programs it starts, in order: what a shell would read, quotes and continuations resolved. Must not
 * know what any program does.
 */
import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';

/** Longer scripts are read this far; what follows is said to be unread. */
export const MAX_SCRIPT_UNITS = 64_000;
/** So many commands are looked at. */
export const MAX_STEPS = 300;
/** Nodes visited, so that no nesting costs more. */
const MAX_NODES = 30_000;
/** Openings that may be nested; the parser reads each level again. */
const MAX_NESTED = 40;

export interface Redirect {
  readonly operator: string;
  readonly target: string;
  readonly descriptor: number | undefined;
}

/** One simple command. */
export interface Step {
  /** Program and arguments, unquoted; expansions stay as written (`$HOME/x`). Empty for redirections alone. */
  readonly words: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly redirects: readonly Redirect[];
  /** What a here-document or here-string gives it to read. */
  readonly input: string | undefined;
  /** The command whose output it reads. */
  readonly pipedFrom: Step | undefined;
  /** The program's name is written so that nobody recognises it: `r""m`, `$'\\x72m'`. */
  readonly disguised: boolean;
  /** Commands inside its words: `$(…)`, backquotes, `<(…)`. */
  readonly inside: readonly Step[];
}

export interface Script {
  /** Every command, those inside others too, in the order they are written. */
  readonly steps: readonly Step[];
  /** Texts of the top-level statements, without comments and blanks between them. */
  readonly statements: readonly string[];
  /** It does not parse as a shell script: what stands here may be read differently. */
  readonly broken: boolean;
  /** Not all of it was looked at. */
  readonly cut: boolean;
  readonly functions: readonly string[];
}

/** Never throws: what the parser cannot take is a broken script. */
export function readScript(source: string): Script {
  const text = source.slice(0, MAX_SCRIPT_UNITS);
  try {
    if (nesting(text) > MAX_NESTED) throw new RangeError('Nobody nests like this.');
    return new Reader(text).read(source.length > text.length);
  } catch {
    return { steps: [], statements: [text], broken: true, cut: source.length > text.length, functions: [] };
  }
}

/** How deep `$(`, `<(`, `>(` and `${` are open at most, quotes not looked at: never less than it is. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [sign] of text.matchAll(/[$<>]\(|\$\{|[)}]/g)) {
    depth = sign.length === 2 ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

class Reader {
  readonly #text: string;
  readonly #steps: Step[] = [];
  readonly #functions: string[] = [];
  #nodes = 0;
  #cut = false;
  #broken = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(cut: boolean): Script {
    const tree = parse(this.#text);
    this.#visit(tree);
    return {
      steps: this.#steps,
      statements: tree.commands.map(({ pos, end }) => this.#text.slice(pos, end)),
      broken: this.#broken,
      cut: cut || this.#cut,
      functions: this.#functions,
    };
  }

  #visit(node: SyntaxNode): void {
    if (this.#isOver()) return;
    switch (node.type) {
      case 'Command':
        this.#command(node, undefined);
        return;
      case 'Pipeline':
        this.#pipeline(node.commands);
        return;
      case 'Redirected':
        this.#visit(node.command);
        this.#add({ ...EMPTY_STEP, ...this.#redirections(node.redirects) });
        return;
      case 'Function':
        this.#functions.push(node.name.value);
        break;
      case 'Script':
        this.#noteErrors(node);
        break;
      default: // says nothing by itself; its children are looked at
    }
    forEachChild(node, (child) => this.#visit(child));
  }

  #isOver(): boolean {
    this.#nodes += 1;
    if (this.#nodes <= MAX_NODES && this.#steps.length < MAX_STEPS) return false;
    this.#cut = true;
    return true;
  }

  #noteErrors(script: ParsedScript): void {
    if (script.errors !== undefined && script.errors.length > 0) this.#broken = true;
  }

  #pipeline(commands: readonly SyntaxNode[]): void {
    let before: Step | undefined;
    for (const command of commands) {
      if (command.type === 'Command') before = this.#command(command, before);
      else {
        this.#visit(command);
        before = this.#steps.at(-1);
      }
    }
  }

  #command(command: Command, pipedFrom: Step | undefined): Step {
    const at = this.#steps.length;
    const words = [command.name, ...command.args].filter((word) => word !== undefined);
    const env = command.prefix.flatMap((part) =>
      part.type === 'Assignment'
        ? [{ name: part.name, value: part.value.type === 'Word' ? part.value.value : '(…)' }]
        : [],
    );
    const step: Step & { inside: Step[] } = {
      words: words.map((word) => (word.type === 'Word' ? word.value : word.text)),
      env,
      ...this.#redirections(command.redirects),
      pipedFrom,
      disguised: command.name !== undefined && isDisguised(command.name),
      inside: [],
    };
    this.#add(step);
    this.#insideOf(command);
    step.inside.push(...this.#steps.slice(at + 1));
    return step;
  }

  #insideOf(command: Command): void {
    forEachChild(command, (child) => {
      if (mayHoldCommands(this.#text, child)) this.#visit(child);
    });
  }

  #redirections(redirects: readonly Redirection[]): Pick<Step, 'redirects' | 'input'> {
    const files = redirects.flatMap((one) =>
      one.type === 'Redirect'
        ? [{ operator: one.operator, target: wordValue(one.target), descriptor: numberOf(one) }]
        : [],
    );
    const inputs = redirects.flatMap((one) =>
      one.type === 'HereDoc' ? [one.body.text] : one.type === 'HereString' ? [wordValue(one.target)] : [],
    );
    return { redirects: files, input: inputs.at(-1) };
  }

  #add(step: Step): void {
    this.#steps.push(step);
  }
}

export const EMPTY_STEP: Step = {
  words: [],
  env: [],
  redirects: [],
  input: undefined,
  pipedFrom: undefined,
  disguised: false,
  inside: [],
};

/** Quoted as a whole, or `\\rm` past an alias, is how people write too. */
function isDisguised({ text, value }: Word): boolean {
  if (text === value || text === `\\${value}` || /[$`]/.test(value)) return false;
  return text !== `"${value}"` && text !== `'${value}'` && !/^["'][^"']*["']\//.test(text);
}

function wordValue(word: Word | undefined): string {
  return word?.value ?? '';
}

function numberOf(redirect: Extract<Redirection, { type: 'Redirect' }>): number | undefined {
  return redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
}

/** Parts of a word are worked out on demand: only where there may be something in them. */
function mayHoldCommands(text: string, { pos, end }: SyntaxNode): boolean {
  const written = text.slice(pos, end);
  return written.includes('`') || written.includes('$') || written.includes('(');
}
