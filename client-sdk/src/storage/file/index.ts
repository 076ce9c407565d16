/** Door "./storage/file". Node only. */
export { type FileStorageOptions, fileStorage } from './file-storage.js';
