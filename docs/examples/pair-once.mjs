import { createInterface } from 'node:readline/promises';
import { openAgent } from '@countersign/agent-sdk';

const [relayUrl = 'ws://127.0.0.1:8787', dir = '.mailer'] = process.argv.slice(2);
const agent = await openAgent({ relayUrl, dir, name: 'mailer' });
const pairing = await agent.startPairing();
console.log(`On the device: npx --no countersign phone pair '${pairing.link}'`);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
for await (const { deviceId } of pairing.devices()) {
  let verdict = 'wrong';
  while (verdict === 'wrong') {
    verdict = await pairing.confirm(deviceId, await terminal.question('Code shown on the device: '));
  }
  console.log(verdict === 'ok' ? 'Paired.' : 'Too many misses: start again for a new link.');
  break;
}
terminal.close();
await pairing.stop();
await agent.close();
