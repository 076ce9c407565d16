import { openAgent } from '@countersign/agent-sdk';

const [relayUrl = 'ws://127.0.0.1:8787', dir = '.mailer'] = process.argv.slice(2);
const agent = await openAgent({ relayUrl, dir, name: 'mailer' });

const call = { toolName: 'send_email', arguments: { to: 'ann@example.org', subject: 'Invoice 7' } };
const { outcome, result } = await agent.run(call, async ({ to, subject }) => {
  // Reached only after a person approved, with exactly the arguments that were shown.
  return `sent "${subject}" to ${to}`;
});

console.log(`${outcome.status}: ${outcome.text}`);
if (result !== undefined) console.log(result);
await agent.close();
