/**
 * What every RelayStore must do, whatever it keeps its rows in. A new store runs this suite from a `.test.ts`
 * of its own. Tests share one store and keep apart by namespaces of their own; those about the whole store
 * open another.
 */
import type { RelayStore, StoreLimits } from '@countersign/server/ports';
import { afterAll, beforeAll, describe } from 'vitest';
import { housekeepingConformance } from './relay-store.housekeeping.js';
import { pairingConformance } from './relay-store.pairing.js';
import { pushesConformance } from './relay-store.pushes.js';
import { queuesConformance } from './relay-store.queues.js';
import type { StoreSuite } from './relay-store.scene.js';

export interface StoreUnderTest {
  /** An empty store; the suite closes it. */
  open(limits?: Partial<StoreLimits>): Promise<RelayStore>;
}

export function relayStoreConformance(name: string, under: StoreUnderTest): void {
  describe(`a ${name} store`, () => {
    const opened: RelayStore[] = [];
    const suite = {
      store: undefined as unknown as RelayStore,
      open: async (limits?: Partial<StoreLimits>) => {
        const store = await under.open(limits);
        opened.push(store);
        return store;
      },
    } satisfies StoreSuite;

    beforeAll(async () => {
      suite.store = await suite.open();
    });

    afterAll(async () => {
      await Promise.all(opened.map((store) => store.close()));
    });

    pairingConformance(suite);
    queuesConformance(suite);
    housekeepingConformance(suite);
    pushesConformance(suite);
  });
}
