/**
 * SQL text as words, names and signs, in the way one family of databases reads it. Linear in the text, never throws.
 * Must not know statements.
 */

export interface Token {
  /** `word`: a keyword or a bare name; `name`: one in quotes; `text`: a literal; `sign`: one character. */
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign';
  /** Without quotes; a sign is itself. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Where families of databases read the same text differently. */
export interface Rules {
  /** `\'` inside a text is a quote (MySQL). */
  readonly backslash: boolean;
  /** Comments begin inside comments (PostgreSQL, SQL Server). */
  readonly nested: boolean;
  /** `#` begins a comment (MySQL). */
  readonly hash: boolean;
  /** `--` begins a comment only before a blank, and `/*!` holds code that runs (MySQL, MariaDB). */
  readonly mysql: boolean;
  /** `$tag$ … $tag$` is a text (PostgreSQL). */
  readonly dollar: boolean;
  /** `"x"` is a text, not a name (MySQL). */
  readonly doubleIsText: boolean;
}

export const POSTGRES: Rules = {
  backslash: false,
  nested: true,
  hash: false,
  mysql: false,
  dollar: true,
  doubleIsText: false,
};
export const MYSQL: Rules = {
  backslash: true,
  nested: false,
  hash: true,
  mysql: true,
  dollar: false,
  doubleIsText: true,
};
export const PLAIN: Rules = {
  backslash: false,
  nested: false,
  hash: false,
  mysql: false,
  dollar: false,
  doubleIsText: false,
};

export interface Tokens {
  readonly tokens: readonly Token[];
  /** Comments that hold more than a remark: code that one database runs. */
  readonly executed: readonly string[];
  /** A quote or a comment without its end. */
  readonly open: boolean;
  readonly cut: boolean;
}

/** Longer texts are read this far. */
export const MAX_SQL_UNITS = 100_000;
const MAX_TOKENS = 8_000;

const NEXT = /(?<blank>\s+)|(?<word>[\p{L}_@][\p{L}\p{N}_$@#]*)|(?<number>\d[\w.]*)|(?<sign>.)/suy;
const DOLLAR = /\$(?:[A-Za-z_]\w{0,62})?\$/y;

export function tokensOf(text: string, rules: Rules): Tokens {
  return new Scanner(text.slice(0, MAX_SQL_UNITS), rules).read(text.length > MAX_SQL_UNITS);
}

class Scanner {
  readonly #text: string;
  readonly #rules: Rules;
  readonly #tokens: Token[] = [];
  readonly #executed: string[] = [];
  #at = 0;
  #open = false;

  constructor(text: string, rules: Rules) {
    this.#text = text;
    this.#rules = rules;
  }

  read(cut: boolean): Tokens {
    while (this.#at < this.#text.length && this.#tokens.length < MAX_TOKENS) this.#next();
    const rest = this.#at < this.#text.length;
    return { tokens: this.#tokens, executed: this.#executed, open: this.#open, cut: cut || rest };
  }

  #next(): void {
    if (this.#comment() || this.#quoted()) return;
    NEXT.lastIndex = this.#at;
    const groups = NEXT.exec(this.#text)?.groups ?? {};
    const length = (groups.blank ?? groups.word ?? groups.number ?? groups.sign ?? ' ').length;
    if (groups.blank === undefined) {
      const kind = groups.word !== undefined ? 'word' : groups.number !== undefined ? 'number' : 'sign';
      this.#add(kind, this.#text.slice(this.#at, this.#at + length), this.#at + length);
    }
    this.#at = Math.max(this.#at + length, this.#at + 1);
  }

  #comment(): boolean {
    const two = this.#text.slice(this.#at, this.#at + 2);
    const dashes = two === '--' && (!this.#rules.mysql || /^[\s\0]?$/.test(this.#text.charAt(this.#at + 2)));
    if (dashes || (this.#rules.hash && two.startsWith('#'))) {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end === -1 ? this.#text.length : end + 1;
      return true;
    }
    if (two !== '/*') return false;
    this.#block();
    return true;
  }

  #block(): void {
    const from = this.#at + 2;
    const runs = this.#rules.mysql
      ? /^(?:!\d{0,6}|M!\d{0,6})/.exec(this.#text.slice(from, from + 9))?.[0]
      : undefined;
    if (runs !== undefined) {
      // Its content runs: only the marks are left out, `*/` stays to be skipped as two signs.
      const end = this.#text.indexOf('*/', from);
      this.#executed.push(this.#text.slice(from + runs.length, end === -1 ? undefined : end).trim());
      this.#at = from + runs.length;
      return;
    }
    let [depth, at] = [1, from];
    while (depth > 0) {
      const close = this.#text.indexOf('*/', at);
      if (close === -1) break;
      const inner = this.#rules.nested ? this.#text.indexOf('/*', at) : -1;
      if (inner !== -1 && inner < close) [depth, at] = [depth + 1, inner + 2];
      else [depth, at] = [depth - 1, close + 2];
    }
    this.#open ||= depth > 0;
    this.#at = depth > 0 ? this.#text.length : at;
  }

  #quoted(): boolean {
    const quote = this.#text.charAt(this.#at);
    if (quote === "'" || quote === '"' || quote === '`') {
      this.#until(
        quote,
        quote === "'" || (quote === '"' && this.#rules.doubleIsText) ? 'text' : 'name',
        quote,
      );
      return true;
    }
    const before = this.#text.charAt(this.#at - 1);
    if (
      quote === '[' &&
      /^[\s.,(]?$/.test(before) &&
      /^\[[\p{L}_][^\]\n]{0,128}\]/u.test(this.#text.slice(this.#at, this.#at + 131))
    ) {
      this.#until(']', 'name', quote);
      return true;
    }
    return quote === '$' && this.#rules.dollar && this.#dollar();
  }

  #dollar(): boolean {
    DOLLAR.lastIndex = this.#at;
    const tag = DOLLAR.exec(this.#text)?.[0];
    if (tag === undefined) return false;
    const from = this.#at + tag.length;
    const end = this.#text.indexOf(tag, from);
    this.#open ||= end === -1;
    this.#add(
      'text',
      this.#text.slice(from, end === -1 ? undefined : end),
      end === -1 ? this.#text.length : end + tag.length,
    );
    this.#at = end === -1 ? this.#text.length : end + tag.length;
    return true;
  }

  /** To the closing quote; twice the quote is one of them. */
  #until(close: string, kind: Token['kind'], open: string): void {
    const escapes = kind === 'text' && (this.#rules.backslash || (open === "'" && this.#isEscapeString()));
    let at = this.#at + 1;
    for (; at < this.#text.length; at++) {
      const letter = this.#text.charAt(at);
      if (escapes && letter === '\\') at += 1;
      else if (letter === close && this.#text.charAt(at + 1) === close) at += 1;
      else if (letter === close) break;
    }
    this.#open ||= at >= this.#text.length;
    this.#add(kind, this.#text.slice(this.#at + 1, at), Math.min(at + 1, this.#text.length));
    this.#at = at + 1;
  }

  /** `E'…'` of PostgreSQL. */
  #isEscapeString(): boolean {
    const before = this.#tokens.at(-1);
    return before?.end === this.#at && before.kind === 'word' && /^e$/i.test(before.text);
  }

  #add(kind: Token['kind'], text: string, end: number): void {
    this.#tokens.push({ kind, text, start: this.#at, end });
  }
}
