import { openClient, pair } from '@countersign/client-sdk';
import { fileStorage } from '@countersign/client-sdk/storage/file';

const [link, directory = '.phone'] = process.argv.slice(2);
const storage = await fileStorage({ directory });
if (link !== undefined) {
  const { code, agentName } = await pair(link, { storage, deviceName: 'desk' });
  console.log(`Type this code at ${agentName}: ${code}`);
}
const client = await openClient({ storage, onAlert: async () => true });

const asked = await new Promise((found) => {
  const stop = client.inbox.subscribe(({ items }) => {
    const item = items.find(({ kind, state }) => kind === 'approval' && state === 'open');
    if (item !== undefined) found({ item, stop });
  });
});
asked.stop();
console.log(asked.item.summary);
const sent = await client.reject(asked.item, { reason: 'not today' });
console.log(await sent.settled());
await client.close();
await storage.close();
