/** Views as messages of chats (06 §1). Part of the door "./blocks". */
export type { Dialect, DialectName, Limits } from './dialect.js';
export { type DiscordLimits, type DiscordMessage, discord } from './discord.js';
export { createHandles, HANDLE_CHARS, type HandleOptions, type Handles } from './handles.js';
export { type MatrixLimits, type MatrixMessage, matrix } from './matrix.js';
export {
  type ChatChunk,
  type ChatMessages,
  type ChatOffer,
  type ChatOptions,
  rebuildChunk,
  renderChat,
} from './message.js';
export { type PlainLimits, type PlainMessage, plainText } from './plain-text.js';
export {
  type SlackBlock,
  type SlackElement,
  type SlackLimits,
  type SlackMessage,
  slackBlocks,
} from './slack.js';
export { type Span, type SpanStyle, spansOf, textOf } from './span.js';
export {
  type TelegramEntitiesMessage,
  type TelegramEntity,
  type TelegramHtmlMessage,
  type TelegramLimits,
  telegramEntities,
  telegramHtml,
} from './telegram.js';
