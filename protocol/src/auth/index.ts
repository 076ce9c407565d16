/** Door "./auth": who is who towards a relay. The relay itself uses nothing more of the crypto than this. */
export { authorityOf } from './authority.js';
export {
  CHALLENGE_BYTES,
  challengeNonce,
  challengeText,
  isBoundTo,
  namespaceIdOf,
  WINDOW_BYTES,
  windowOf,
} from './challenge.js';
export {
  ED25519_PUBLIC_BYTES,
  ED25519_SECRET_BYTES,
  ED25519_SEED_BYTES,
  ED25519_SIGNATURE_BYTES,
  isSoundEd25519Key,
  signEd25519,
  verifyEd25519,
} from './ed25519.js';
export { cryptoReady } from './sodium.js';
