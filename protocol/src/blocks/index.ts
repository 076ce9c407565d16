/** Door "./blocks": what a person sees of a call, as data and as text. Never imported by the server. */
export * from './chat/index.js';
export { type BesideView, degradeView } from './degrade.js';
export { jsonText } from './json-text.js';
export { type Line, type LineariseOptions, linearise } from './linearise.js';
export {
  collectJsonSecrets,
  collectSecrets,
  createMasker,
  isSecretBlock,
  MASK,
  MAX_SECRETS,
  maskIn,
  maskSecret,
} from './mask.js';
export { PLAIN_INDENT, renderPlain } from './plain.js';
export { isSecretKey, isSecretMember } from './secret-names.js';
export { findJsonSecrets, findSecrets, looksLikeSecret } from './secret-shapes.js';
export {
  codePoints,
  fits,
  isSummaryLine,
  isTitleLine,
  shorten,
  summaryLine,
  type TextLimit,
  titleLine,
} from './shorten.js';
export {
  BLOCK_TYPES,
  type Block,
  type BlockType,
  blockSchema,
  rowName,
  VALUE_TYPES,
  type ValueType,
  type View,
  viewSchema,
} from './view.js';
export { escapeInvisible, escapeToLine, holdsInvisible, isWellFormed, toWellFormed } from './visible.js';
