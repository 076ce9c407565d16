/** The command `countersign-gateways`: starts all three, says how to reach them, runs until it is interrupted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asText, describeGateways } from './description.js';
import { startGateways } from './index.js';

const USAGE = `countersign-gateways [--json] [--devices N]
  Strict local APNs, FCM and Web Push servers for people who build apps. Prints where they listen, the certificate
  to trust, credentials, and N devices of each (1). Ends with Ctrl-C; nothing is kept.
`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  devices: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;
const MAX_DEVICES = 10_000;

const asked = readArguments();
if (asked === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (asked.help) {
  process.stdout.write(USAGE);
} else {
  await run(asked.json, Number(asked.devices));
}

function readArguments(): { json: boolean; devices: string; help: boolean } | undefined {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    return /^\d{1,5}$/.test(values.devices) && Number(values.devices) <= MAX_DEVICES ? values : undefined;
  } catch {
    return undefined;
  }
}

async function run(json: boolean, devices: number): Promise<void> {
  const gateways = await startGateways();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-gateways-'));
  const paths = {
    ca: join(folder, 'ca.pem'),
    apnsKey: join(folder, 'apns.p8'),
    serviceAccount: join(folder, 'service-account.json'),
  };
  writeFileSync(paths.ca, gateways.ca, { mode: 0o600 });
  writeFileSync(paths.apnsKey, gateways.apns.credential.key, { mode: 0o600 });
  writeFileSync(paths.serviceAccount, JSON.stringify(gateways.fcm.serviceAccount, null, 2), { mode: 0o600 });
  const description = describeGateways(gateways, paths, devices);
  process.stdout.write(json ? `${JSON.stringify(description)}\n` : asText(description));
  const end = async (): Promise<void> => {
    await gateways.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}
