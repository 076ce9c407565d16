/**
 * An agent in a process of its own, to be killed: `RELAY DIR MODE`. Asks one approval (`ask`), takes it and stays
 * without recording that it ran (`take`), or only holds the directory (`hold`). Prints what it got to, a line each.
 */
import { writeSync } from 'node:fs';
import { openAgent } from '@countersign/agent-sdk';

const [relayUrl = '', dir = '', mode] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

const agent = await openAgent({ relayUrl, dir, name: 'Robot' });
say(`open ${process.pid}`);
if (mode !== 'hold') {
  await agent.whenConnected();
  const outcome = await agent.requestApproval(
    { toolName: 'deploy', arguments: { to: 'prod' } },
    { onAsked: (id) => say(`asked ${id}`) },
  );
  say(`got ${outcome.status}`);
}
await new Promise(() => setInterval(() => {}, 60_000));
