/** Every storage the client SDK ships passes the one suite. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@countersign/client-sdk/storage/file';
import { indexedDbStorage } from '@countersign/client-sdk/storage/indexeddb';
import { memoryStorage } from '@countersign/client-sdk/storage/memory';
import 'fake-indexeddb/auto';
import { clientStorageConformance } from './client-storage.js';

clientStorageConformance('memory', { lasting: false }, async () => ({
  open: async () => memoryStorage(),
  cleanUp: async () => undefined,
}));

clientStorageConformance('file', { lasting: true }, async () => {
  const root = await mkdtemp(join(tmpdir(), 'countersign-storage-'));
  const open = () => fileStorage({ directory: join(root, 'state') });
  return { open, cleanUp: () => rm(root, { recursive: true }) };
});

let databases = 0;
clientStorageConformance('IndexedDB', { lasting: true }, async () => {
  databases += 1;
  const open = () => indexedDbStorage({ name: `conformance-${databases}` });
  return { open, cleanUp: async () => undefined };
});
