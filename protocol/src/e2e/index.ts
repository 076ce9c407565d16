/** Door "./e2e": what only the two ends know: keys, sealed channels, frozen items, receipts, pairing. Never the server. */
export { FEATURES } from '../frames/index.js';
export { frameBody, paddedBytes, type Unframed, unframe } from './framing.js';
export {
  argsDigest,
  canonicalItem,
  type FrozenArguments,
  freezeArguments,
  type ItemKindName,
  itemDigest,
  type JsonObject,
  MAX_ARGUMENTS_BYTES,
  MAX_ARGUMENTS_DEPTH,
} from './freeze.js';
export { deriveIdentity, type IdentityKeys, type KeyPair, newX25519, sharedSecret } from './keys.js';
export {
  type CountersignVectors,
  countersignKnownAnswers,
  type KnownAnswer,
  type RelayVectors,
  relayKnownAnswers,
} from './known-answers.js';
export { normalizeCode, type PairingCodeInput, pairingCode } from './pairing-code.js';
export { encodeQrJson } from './pairing-json.js';
export { defaultAppUrl, encodeLink } from './pairing-link.js';
export { NO_EXPIRY, type PairingOffer } from './pairing-offer.js';
export { MAX_PAIRING_TEXT, parsePairing } from './parse-pairing.js';
export {
  isReceipt,
  type Receipt,
  receiptAnswer,
  signReceipt,
  type UnsignedReceipt,
  verifyReceipt,
} from './receipt.js';
export {
  checkCounter,
  counterFloor,
  decodeWindow,
  emptyWindow,
  encodeWindow,
  markCounter,
  type WindowState,
} from './receive-window.js';
export type { ChannelParams, SealedChannel, Suite } from './suite.js';
export { suiteV2 } from './suite-v2.js';
