/** The command, as a person or a script starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadConfig, readPush } from '../../server/src/config/index.js';
import type { Description } from './description.js';
import { openHttp2, sendHttp2 } from './kit/raw-client.fixtures.js';

const BIN = join(fileURLToPath(import.meta.url), '..', 'bin', 'countersign-gateways.mjs');

it('says in JSON where it listens, serves, and leaves nothing behind', async () => {
  const child = spawn(process.execPath, [BIN, '--json', '--devices', '2'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const description = JSON.parse(line) as Description;
  expect(description.apns.sandboxTokens).toHaveLength(2);
  expect(readFileSync(description.apns.keyFile, 'utf8')).toContain('BEGIN PRIVATE KEY');
  const session = openHttp2(description.apns.production, readFileSync(description.ca, 'utf8'));
  expect(await sendHttp2(session, { ':method': 'POST' })).toMatchObject({ status: 404 });
  const { config, unknownVariables } = loadConfig({ env: { ...description.relay } });
  expect(unknownVariables).toEqual([]);
  expect(readPush({ ...config, vapidPrivateKeys: undefined, vapidSubject: undefined })).toMatchObject({
    gateways: { apnsPort: Number(new URL(description.apns.production).port) },
    apns: [{ topic: description.apns.topic }],
    fcm: [{ account: { projectId: description.fcm.projectId } }],
  });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(description.ca)).toBe(false);
});

it('refuses a number of devices that is none', async () => {
  const child = spawn(process.execPath, [BIN, '--devices', '-1'], { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([2, null]);
});
