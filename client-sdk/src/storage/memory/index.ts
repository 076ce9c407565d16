/** Door "./storage/memory". */
export { memoryStorage } from './memory-storage.js';
