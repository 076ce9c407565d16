import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryStore } from '@countersign/server/adapters/store/memory';
import { openSqliteStore } from '@countersign/server/adapters/store/sqlite';
import { afterAll } from 'vitest';
import { relayStoreConformance } from './relay-store.js';

const directory = mkdtempSync(join(tmpdir(), 'countersign-store-'));
let files = 0;

afterAll(() => rmSync(directory, { recursive: true, force: true }));

relayStoreConformance('memory', { open: openMemoryStore });
relayStoreConformance('sqlite', {
  open: (limits) => {
    files += 1;
    return openSqliteStore({ ...limits, file: join(directory, `relay-${files}.db`) });
  },
});
