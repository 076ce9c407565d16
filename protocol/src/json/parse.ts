/**
 * A strict JSON parser (RFC 8259, restricted as I-JSON, RFC 7493): what two programs could read differently is
 * refused, not guessed. Must not know what the JSON means.
 */
import { hasLoneSurrogate, type Json, JsonError, setOwn } from './json.types.js';
import { survivesPrinting } from './numbers.js';

/** Arrays and objects inside one another. */
export const DEFAULT_MAX_DEPTH = 64;
/** UTF-8 bytes of a text; as much as a plaintext may inflate to (02 §2). */
export const DEFAULT_MAX_JSON_BYTES = 8 * 1024 * 1024;

export interface ParseOptions {
  maxDepth?: number;
  maxBytes?: number;
  /**
   * `exact` (default) refuses a number whose value changes when printed back, or of 2^53 and above; `any` takes
   * whatever a double can approximate, and refuses only what overflows it.
   */
  numbers?: 'exact' | 'any';
}

/** A number kept as it was written. */
export class JsonNumber {
  readonly lexeme: string;
  constructor(lexeme: string) {
    this.lexeme = lexeme;
  }
}

export type LexemeJson = null | boolean | JsonNumber | string | LexemeJson[] | { [key: string]: LexemeJson };

type Value<N> = null | boolean | string | N | Value<N>[] | { [key: string]: Value<N> };
type ReadNumber<N> = (lexeme: string, offset: number) => N;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Everything from U+0020 on but the quote and the backslash. */
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WHITESPACE = /[ \t\n\r]*/y;
const LITERALS: readonly (readonly [string, null | boolean])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class Parser<N> {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #readNumber: ReadNumber<N>;
  #at = 0;
  #depth = 0;

  constructor(text: string, maxDepth: number, readNumber: ReadNumber<N>) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#readNumber = readNumber;
  }

  document(): Value<N> {
    const value = this.#value();
    if (this.#at < this.#text.length) throw this.#fault('syntax');
    return value;
  }

  #fault(code: JsonError['code'], offset = this.#at): JsonError {
    return new JsonError(code, offset);
  }

  /** Moves behind what the sticky pattern matches here and returns it. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.#at += match.length;
    return match;
  }

  /** Takes one character and the white space behind it, if it is there. */
  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    this.#take(WHITESPACE);
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.#fault('syntax');
  }

  /** A value with the white space around it. */
  #value(): Value<N> {
    this.#take(WHITESPACE);
    const value = this.#bareValue();
    this.#take(WHITESPACE);
    return value;
  }

  #bareValue(): Value<N> {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      default:
        return this.#literalOrNumber();
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > this.#maxDepth) throw this.#fault('too_deep');
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): { [key: string]: Value<N> } {
    const object: { [key: string]: Value<N> } = {};
    this.#expect('{');
    if (this.#skip('}')) return object;
    do this.#member(object);
    while (this.#skip(','));
    this.#expect('}');
    return object;
  }

  #member(object: { [key: string]: Value<N> }): void {
    const offset = this.#at;
    const key = this.#string();
    if (key === '__proto__') throw this.#fault('proto_key', offset);
    if (Object.hasOwn(object, key)) throw this.#fault('duplicate_key', offset);
    this.#take(WHITESPACE);
    this.#expect(':');
    setOwn(object, key, this.#value());
  }

  #array(): Value<N>[] {
    const array: Value<N>[] = [];
    this.#expect('[');
    if (this.#skip(']')) return array;
    do array.push(this.#value());
    while (this.#skip(','));
    this.#expect(']');
    return array;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#fault('syntax');
    this.#at++;
    let plain = true;
    for (;;) {
      this.#take(PLAIN_CHARACTERS);
      if (this.#text[this.#at] === '"') break;
      if (this.#take(ESCAPE) === undefined) throw this.#fault('syntax');
      plain = false;
    }
    this.#at++;
    const lexeme = this.#text.slice(start, this.#at);
    const value = plain ? lexeme.slice(1, -1) : (JSON.parse(lexeme) as string);
    if (hasLoneSurrogate(value)) throw this.#fault('lone_surrogate', start);
    return value;
  }

  #literalOrNumber(): Value<N> {
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const offset = this.#at;
    const lexeme = this.#take(NUMBER);
    if (lexeme === undefined) throw this.#fault('syntax');
    return this.#readNumber(lexeme, offset);
  }
}

function exactNumber(lexeme: string, offset: number): number {
  const value = Number(lexeme);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new JsonError('number_too_large', offset);
  if (!survivesPrinting(lexeme, value)) throw new JsonError('number_not_exact', offset);
  return value === 0 ? 0 : value; // −0 prints as 0, so 0 is what was shown.
}

function anyNumber(lexeme: string, offset: number): number {
  const value = Number(lexeme);
  if (!Number.isFinite(value)) throw new JsonError('number_too_large', offset);
  return value;
}

/** Text within the limit; UTF-8 checked, a byte order mark left in, where the grammar refuses it. */
function textOf(input: string | Uint8Array, maxBytes: number): string {
  const isText = typeof input === 'string';
  // A UTF-16 unit takes at most 3 bytes, so most texts need no encoding to be measured.
  const bytes = isText && input.length * 3 > maxBytes ? new TextEncoder().encode(input) : input;
  if (bytes.length > maxBytes) throw new JsonError('too_large');
  if (isText) return input;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
  } catch {
    throw new JsonError('invalid_utf8');
  }
}

function run<N>(input: string | Uint8Array, options: ParseOptions, readNumber: ReadNumber<N>): Value<N> {
  const text = textOf(input, options.maxBytes ?? DEFAULT_MAX_JSON_BYTES);
  return new Parser(text, options.maxDepth ?? DEFAULT_MAX_DEPTH, readNumber).document();
}

/**
 * Parses one JSON text, white space around it allowed. Refuses what RFC 8259 refuses, duplicate keys, the key
 * `__proto__`, lone surrogates, a byte order mark, invalid UTF-8, numbers as `options.numbers` says, and what exceeds
 * the limits. Objects have own properties only.
 * @throws JsonError
 */
export function parseStrict(input: string | Uint8Array, options: ParseOptions = {}): Json {
  return run(input, options, options.numbers === 'any' ? anyNumber : exactNumber);
}

/** As {@link parseStrict}, every number kept as it was written (`numbers` has no effect). @throws JsonError */
export function parseWithLexemes(
  input: string | Uint8Array,
  options: Omit<ParseOptions, 'numbers'> = {},
): LexemeJson {
  return run(input, options, (lexeme) => new JsonNumber(lexeme));
}
