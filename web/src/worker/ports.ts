/** What the worker's parts need of the outside. Opened anew for each event: a worker may be ended after any of them. */
import type { Storage } from '@countersign/client-sdk';
import { indexedDbStorage } from '@countersign/client-sdk/storage/indexeddb';
import { type AppDatabase, openAppDatabase } from '../state/database.js';
import { type Choices, readChoices } from './choices.js';
import { Screen } from './screen.js';
import { type Say, sayIn } from './words.js';

export interface WorkerPorts {
  readonly screen: Screen;
  readonly clients: Pick<Clients, 'matchAll' | 'openWindow'>;
  /** Address that every page of the app begins with. */
  readonly scope: string;
  openStorage(): Promise<Storage>;
  openDatabase(): Promise<AppDatabase>;
  now(): number;
  /** Local, `HH:MM`. */
  time(): string;
}

export function browserPorts({ registration, clients }: ServiceWorkerGlobalScope): WorkerPorts {
  return {
    screen: new Screen(registration),
    clients,
    scope: registration.scope,
    openStorage: () => indexedDbStorage(),
    openDatabase: () => openAppDatabase(),
    now: () => Date.now(),
    time: () => new Date().toTimeString().slice(0, 5),
  };
}

export interface Opened {
  readonly storage: Storage;
  readonly database: AppDatabase;
  readonly choices: Choices;
  readonly say: Say;
}

/** Everything that is stored, for as long as `work` takes. @throws what the browser's storage throws. */
export async function withStored<T>(ports: WorkerPorts, work: (opened: Opened) => Promise<T>): Promise<T> {
  const database = await ports.openDatabase();
  try {
    const storage = await ports.openStorage();
    try {
      const choices = await readChoices(database, ports.time());
      return await work({ storage, database, choices, say: sayIn(choices.language) });
    } finally {
      await storage.close();
    }
  } finally {
    database.close();
  }
}
