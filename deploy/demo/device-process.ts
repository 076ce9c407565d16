/** A scripted device in a process of its own: a whole client, its hands moved by the demo. */
import { type AnswerState, type Client, type InboxItem, openClient, pair } from '@countersign/client-sdk';
import { openFileStorage } from '@countersign/client-sdk/storage/file';
import { serveParent } from './child.js';

export interface DeviceSetup {
  readonly dir: string;
  readonly name: string;
}

const setup = JSON.parse(process.argv[2] ?? '{}') as DeviceSetup;
const storage = openFileStorage(setup.dir);
let opened: Promise<Client> | undefined;
let held: InboxItem | undefined;

async function client(): Promise<Client> {
  const ready = await storage;
  opened ??= openClient({ storage: ready, onAlert: () => Promise.resolve(true) });
  return opened;
}

/** The next open item, whole; waits for it. */
async function nextItem(): Promise<InboxItem> {
  const c = await client();
  return new Promise((resolve) => {
    const look = (): void => {
      const item = c.inbox.get().items.find((i) => i.state === 'open' && i.whole);
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
  /** Takes the next item into the hand, to be decided by a later call. */
  async hold(): Promise<string> {
    held = await nextItem();
    return held.requestId;
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
