/** Door ".": a device that decides. Runs in browsers and on Node. */
export type * from './api.js';
export * from './storage/storage.js';
