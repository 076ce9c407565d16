/** A relay store that forgets everything with its process: for tests and trials. */
export { type MemoryStoreOptions, openMemoryStore } from './memory-store.js';
