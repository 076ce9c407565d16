/** What a scrape of a running relay says after real traffic, and what it must never say. */
import { readFileSync } from 'node:fs';
import { toHex } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { MAX_OPS_CONNECTIONS } from '../../server/src/http/ops-server.js';
import { METRICS } from '../../server/src/observability/index.js';
import { authFrame, clientRole, newKeys, refusal } from '../support/relay/raw-peer.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const CANARY = 'canary-91c4';

async function scrape(): Promise<string> {
  const response = await fetch(`${scene.relay.opsUrl}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** The value of one line, as `messages_total{class="live",fate="delivered"}`. */
function value(body: string, name: string): number {
  const line = body.split('\n').find((each) => each.startsWith(`countersign_${name} `));
  return Number(line?.split(' ').at(-1));
}

async function traffic() {
  const agent = await scene.agent(newKeys(), { capabilities: [CANARY] });
  const [keys] = await scene.pair(agent);
  if (keys === undefined) throw new Error('no device');
  const messages = [true, false].map((live) => sealed(keys.publicKey, live, 64));
  for (const message of messages) agent.peer.send(message);
  await agent.peer.settled();
  const device = await scene.client(agent.namespaceId, keys);
  await device.peer.next('message');
  agent.peer.send(sealed(keys.publicKey, true, 64));
  await device.peer.next('message');
  agent.peer.send(sealed(newKeys().publicKey, true));
  await agent.peer.settled();
  const refused = scene.connect({ headers: { 'user-agent': CANARY } });
  const fields = { namespaceId: agent.namespaceId, deviceToken: CANARY };
  refused.send(await authFrame(refused, newKeys(), clientRole(newKeys(), fields)));
  await refusal(refused);
  const foreign = scene.connect({ origin: `https://${CANARY}.example` });
  await foreign.whenClosed();
  return { agent, keys, messages };
}

describe('/metrics', () => {
  it('counts what happened, and names no peer', async () => {
    scene = await RelayScene.open();
    const { agent, keys, messages } = await traffic();
    const body = await scrape();
    expect(value(body, 'connections{role="agent"}')).toBe(1);
    expect(value(body, 'connections{role="client"}')).toBe(1);
    expect(value(body, 'logins_total{role="agent",outcome="ok"}')).toBe(1);
    expect(value(body, 'logins_total{role="pairing",outcome="ok"}')).toBe(1);
    expect(body).toMatch(/logins_total\{role="\w+",outcome="invalid_signature"\} 1/);
    expect(value(body, 'messages_total{class="live",fate="delivered"}')).toBe(1);
    expect(value(body, 'messages_total{class="live",fate="offline"}')).toBe(1);
    expect(value(body, 'messages_total{class="queued",fate="accepted"}')).toBe(1);
    expect(value(body, 'messages_total{class="queued",fate="sent"}')).toBe(1);
    expect(value(body, 'frames_refused_total{code="not_found"}')).toBe(1);
    expect(value(body, 'connections_refused_total{reason="origin"}')).toBe(1);
    expect(value(body, 'store_namespaces')).toBe(1);
    const secrets = [
      keys.publicKey,
      agent.keys.publicKey,
      agent.namespaceId,
      ...messages.map((m) => m.ciphertext),
    ];
    expect(body).not.toContain(CANARY);
    for (const secret of secrets) {
      expect(body).not.toContain(toHex(secret).slice(0, 8));
      expect(body).not.toContain(Buffer.from(secret).toString('base64').slice(0, 8));
    }
  });

  it('has every metric that is named, whether it happened or not', async () => {
    scene = await RelayScene.open();
    const body = await scrape();
    for (const { name, type } of Object.values(METRICS)) expect(body).toContain(`# TYPE ${name} ${type}\n`);
  });

  it('has nothing that its page does not name', async () => {
    scene = await RelayScene.open();
    const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const names = [...(await scrape()).matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    const loop = 'nodejs_eventloop_lag';
    const isNamed = (name: string) =>
      page.includes(`\`${name}\``) ||
      (name.startsWith(loop) && page.includes(`\`${name.slice(loop.length).replace('_seconds', '')}\``));
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });

  it('answers nothing but its two paths', async () => {
    scene = await RelayScene.open();
    const status = async (path: string, method = 'GET') =>
      (await fetch(`${scene.relay.opsUrl}${path}`, { method })).status;
    expect(await Promise.all([status('/'), status('/v1/ws'), status('/metrics', 'POST')])).toEqual([
      404, 404, 404,
    ]);
  });

  it('is on the second listener alone', async () => {
    scene = await RelayScene.open();
    expect((await fetch(`${scene.relay.url.replace('ws:', 'http:')}/metrics`)).status).toBe(404);
  });

  it('takes so many connections and no more', async () => {
    scene = await RelayScene.open();
    const { connect } = await import('node:net');
    const port = Number(new URL(scene.relay.opsUrl ?? '').port);
    const sockets = Array.from({ length: MAX_OPS_CONNECTIONS + 1 }, () => connect(port, '127.0.0.1'));
    try {
      await Promise.any(
        sockets.map(
          (socket) => new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined)),
        ),
      );
      expect(sockets.filter((socket) => !socket.destroyed).length).toBe(MAX_OPS_CONNECTIONS);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
