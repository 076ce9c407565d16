/** What the push adapters share. */
export { type Answer, boundedPost, type PostResult, UNSAFE_ADDRESS, watchAnswer } from './bounded-post.js';
export { collapseIdOf, envelopeOf, MAX_CONTENT_BASE64 } from './envelope.js';
export { signJwt } from './jwt.js';
export { Proven } from './proven.js';
export { retryAfterMs } from './retry-after.js';
export { Sending } from './sending.js';
