/** Door "./json": JSON that two programs cannot read differently. */
export { canonicalize, isPlainObject, MAX_CANONICAL_DEPTH } from './canonicalize.js';
export { hasLoneSurrogate, type Json, JsonError, type JsonErrorCode, wellFormed } from './json.types.js';
export {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_JSON_BYTES,
  JsonNumber,
  type LexemeJson,
  type ParseOptions,
  parseStrict,
  parseWithLexemes,
} from './parse.js';
