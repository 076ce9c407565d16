/** libsodium as auth and e2e use it. Must not be imported elsewhere (02). */
import sodium from 'libsodium-wrappers';

/** Resolves when libsodium's WebAssembly runs; rejects where it may not (a page needs CSP `wasm-unsafe-eval`). */
export const cryptoReady: Promise<void> = sodium.ready;
