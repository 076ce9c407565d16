/**
 * A process of its own that holds a relay's data file: `hold FILE` opens it and stays; `enqueue FILE` also
 * stores messages without end, and prints the number of each once it is stored. Each line is written at once.
 */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '@countersign/server/adapters/store/sqlite';
import type { RelayStore } from '@countersign/server/ports';
import { STORE_PROCESS as scene } from './store-process.scene.ts';

const ENQUEUES_AT_ONCE = 16;
const [mode, file = ''] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

async function pair(store: RelayStore): Promise<void> {
  const { namespaceId, agent, device, tokenHash, window, now } = scene;
  await store.touchNamespace(namespaceId, agent, now, true);
  await store.openPairingWindow(namespaceId, tokenHash, now + 1000);
  const attempt = { namespaceId, tokenHash, window, ed25519: device, x25519: device, platform: 3 };
  await store.consumePairingToken(
    { ...attempt, deviceToken: '', now },
    { authorizedDevices: 1, pendingDevices: 1 },
  );
  await store.applyAuthorize(namespaceId, [device], now);
}

async function enqueueForEver(store: RelayStore): Promise<never> {
  for (;;) {
    const result = await store.enqueueWithinLimits(scene.message);
    say(typeof result === 'string' ? result : `stored ${result.seq}`);
  }
}

const store = await openSqliteStore({ file });
say('open');
if (mode === 'enqueue') {
  await pair(store);
  await Promise.all(Array.from({ length: ENQUEUES_AT_ONCE }, () => enqueueForEver(store)));
}
