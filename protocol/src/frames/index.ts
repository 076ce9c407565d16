/** Door ".": frames, errors, limits and ids. Knows neither crypto nor what is sealed. */
export { decodeFrame, encodeFrame } from './codec.js';
export * from './content-limits.js';
export * from './errors.js';
export type * from './frame.js';
export * from './ids.js';
export * from './limits.js';
export { type ForwardOptions, forwardDecoded, forwardMessage } from './message-forward.js';
export { type MessagePeek, messageOf, peekMessage } from './message-peek.js';
export { encodeQueued, type QueuedFrame } from './message-write.js';
export * from './names.js';
export { parseUrl } from './parse-url.js';
export { decodePushHints, encodePushHints, type PushHints } from './push-hints.js';
