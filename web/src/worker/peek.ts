/** What this device knows, read without connecting. Must not know notifications. */
import { type Client, type InboxSnapshot, openClient, type Storage } from '@countersign/client-sdk';

/** The inbox as it is stored. */
export async function peekInbox(storage: Storage): Promise<InboxSnapshot> {
  const client: Client = await openClient({ storage: lookingOn(storage), onAlert: async () => false });
  const snapshot = client.inbox.get();
  await client.close();
  return snapshot;
}

/** A context that never gets the right to connect. */
function lookingOn(storage: Storage): Storage {
  return {
    kind: storage.kind,
    transaction: (body) => storage.transaction(body),
    protect: (secret) => storage.protect(secret),
    reveal: (secret) => storage.reveal(secret),
    own: () => new Promise(() => undefined),
    close: () => storage.close(),
  };
}
