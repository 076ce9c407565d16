/** Door "./storage/indexeddb". For browsers: pages and service workers of one origin share the database. */
export { type IndexedDbStorageOptions, indexedDbStorage } from './indexeddb-storage.js';
