/** JSON values and what can be wrong with a text. Must not know what the JSON means. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonErrorCode =
  | 'syntax'
  | 'duplicate_key'
  | 'proto_key'
  | 'lone_surrogate'
  /** A number whose value changes when a double holds it and it is printed back. */
  | 'number_not_exact'
  /** An absolute value of 2^53 or more (exact), or too big for a double at all. */
  | 'number_too_large'
  | 'too_deep'
  | 'too_large'
  | 'invalid_utf8'
  /** A JavaScript value that no JSON text stands for. */
  | 'not_json';

/** The message names the fault and the place, never the content. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;
  /** UTF-16 index in the text where the fault shows; 0 when it concerns the whole. */
  readonly offset: number;

  constructor(code: JsonErrorCode, offset = 0) {
    super(`JSON refused: ${code} at ${offset}`);
    this.code = code;
    this.offset = offset;
  }
}

/** Sets an own property whatever the key is and whatever Object.prototype holds under that name. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key in Object.prototype) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

const SURROGATE = /\p{Surrogate}/u;
const SURROGATES = /\p{Surrogate}/gu;

/** Whether the text has a surrogate without its other half, which UTF-8 cannot express. */
export function hasLoneSurrogate(text: string): boolean {
  return SURROGATE.test(text);
}

/** The text with U+FFFD for every lone surrogate (WHATWG Infra, "convert to a scalar value string"). */
export function wellFormed(text: string): string {
  return text.replace(SURROGATES, '\uFFFD');
}
