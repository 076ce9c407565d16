/** A scripted device in a process of its own: a whole client, its hands moved by the demo. */
import { type AnswerState, type Client, type InboxItem, openClient, pair } from '@countersign/client-sdk';
import { fileStorage } from '@countersign/client-sdk/storage/file';
import { serveParent } from './child.js';

export interface DeviceSetup {
  readonly dir: string;
  readonly name: string;
}

const setup = JSON.parse(process.argv[2] ?? '{}') as DeviceSetup;
const storage = fileStorage({ directory: setup.dir });
let opened: Promise<Client> | undefined;
let held: InboxItem | undefined;

async function client(): Promise<Client> {
  const ready = await storage;
  opened ??= openClient({ storage: ready, onAlert: () => Promise.resolve(true) });
  return opened;
}

/** The item with this id, open and whole; waits for it. */
async function openItem(requestId: string): Promise<InboxItem> {
  const c = await client();
  return new Promise((resolve) => {
    const look = (): void => {
      const item = c.inbox
        .get()
        .items.find((i) => i.requestId === requestId && i.state === 'open' && i.whole);
      if (item === undefined) return;
      queueMicrotask(() => stop());
      resolve(item);
    };
    const stop = c.inbox.subscribe(look);
    look();
  });
}

export const deviceCommands = {
  async pair(link: string): Promise<{ deviceId: string; code: string }> {
    const pairing = await pair(link, { storage: await storage, deviceName: setup.name });
    await (await client()).refreshPairings();
    return { deviceId: pairing.deviceId, code: pairing.code };
  },
  /** Takes an item into the hand, to be decided by a later call. */
  async hold(requestId: string): Promise<void> {
    held = await openItem(requestId);
  },
  /** Loses the network, item in hand. */
  async goOffline(): Promise<void> {
    await (await client()).close();
    opened = undefined;
  },
  async approve(): Promise<AnswerState> {
    return (await (await client()).approve(inHand())).settled();
  },
  async reject(reason: string): Promise<AnswerState> {
    return (await (await client()).reject(inHand(), { reason })).settled();
  },
};

function inHand(): InboxItem {
  if (held === undefined) throw new Error('no item in hand');
  return held;
}

serveParent(deviceCommands);
