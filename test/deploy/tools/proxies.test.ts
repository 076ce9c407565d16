/** A real agent and a real phone, each command its own process, over TLS through each proxy we have a snippet for. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRelay } from '@countersign/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { Scene } from '../../e2e/cli/scene.js';
import { type Certificates, makeCertificates } from './certificates.js';
import { freePort, type RunningProxy, startCaddy, startNginx } from './proxy.js';

// Each starts a proxy and several programs.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PHONE = fileURLToPath(new URL('../../../client-sdk/bin/countersign-phone.mjs', import.meta.url));
const CONNECTIONS_PER_MINUTE = 40;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function behind(start: (options: Parameters<typeof startNginx>[0]) => Promise<RunningProxy>) {
  const dir = mkdtempSync(join(tmpdir(), 'cs-proxy-'));
  cleanUps.push(() => rmSync(dir, { recursive: true }));
  const certificates = makeCertificates(dir);
  const port = await freePort();
  const relay = await startRelay({
    port: 0,
    opsPort: 'off',
    publicHosts: [`localhost:${port}`],
    trustedProxies: ['127.0.0.1', '::1'],
    registration: 'open',
    newConnectionsPerAddressPerMinute: CONNECTIONS_PER_MINUTE,
  });
  const scene = new Scene({ ...relay, url: `wss://localhost:${port}` });
  cleanUps.push(() => scene.close());
  const proxy = await start({ dir, port, relayPort: relay.port, certificates });
  cleanUps.push(() => proxy.stop());
  return { scene, port, certificates };
}

function statusOf(port: number, path: string, { ca }: Certificates): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, path, ca: readFileSync(ca), family: 4 };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** 101, or the status of the refusal. */
function upgradeStatus(port: number, { ca }: Certificates, claimed: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': claimed };
    const socket = new WebSocket(`wss://localhost:${port}/v1/ws`, {
      ca: readFileSync(ca),
      family: 4,
      headers,
    });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once('error', reject);
  });
}

describe.each([
  ['nginx', startNginx],
  ['Caddy', startCaddy],
] as const)('through %s', (_, start) => {
  it('an agent and a phone pair, and an approved command runs', async () => {
    const { scene, certificates } = await behind(start);
    const env = { NODE_EXTRA_CA_CERTS: certificates.ca };
    const [agentDir, phoneDir] = [scene.directory(), scene.directory()];
    const phone = (args: readonly string[]) =>
      scene.start(args, agentDir, { bin: PHONE, env: { ...env, COUNTERSIGN_PHONE_DIR: phoneDir } });
    const pairing = scene.start(['pair', '--yes'], agentDir, { env });
    const [link] = await pairing.says(/http\S+#p=[\w-]+/);
    expect((await phone(['pair', link]).ended).exitCode).toBe(0);
    const watching = phone(['watch', '--auto', 'approve', '--count', '1']);
    expect((await pairing.ended).stdout).toContain('Paired');
    const argv = [process.execPath, '-e', 'console.log("it ran", 6 * 7)'];
    const ran = await scene.run(['run', '--', ...argv], agentDir, { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'it ran 42\n' });
    expect((await watching.ended).exitCode).toBe(0);
  });

  it('health is answered, and who claims other addresses is counted under the own one', async () => {
    const { port, certificates } = await behind(start);
    expect(await statusOf(port, '/healthz', certificates)).toBe(200);
    const found = new Set<number>();
    for (let i = 0; i <= CONNECTIONS_PER_MINUTE && !found.has(429); i++) {
      found.add(await upgradeStatus(port, certificates, `203.0.113.${i}`));
    }
    expect([...found]).toEqual([101, 429]);
  });
});
