/** 01 §3: a challenge proves the name that was dialled, with real links, a real relay and proxies between them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type LinkState, openLink } from '@countersign/protocol/link';
import { type RunningRelay, startRelay } from '@countersign/server';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryPeerStore, type MemoryTx } from '../support/link/memory-peer-store.js';
import { makePeers } from '../support/link/peers.js';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Passes everything on; with `host`, says that name to the relay instead of the one it was dialled by. */
async function proxy(portOf: () => number, host?: string): Promise<string> {
  const server = createServer((near) => {
    const far = connect(portOf(), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.once('data', (head) => {
      const text = head.toString('latin1');
      far.write(host === undefined ? text : text.replace(/^Host: .*$/im, `Host: ${host}`), 'latin1');
      near.pipe(far);
    });
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function relayAt(publicHosts: string[]): Promise<RunningRelay> {
  const relay = await startRelay({ port: 0, opsPort: 'off', publicHosts, registration: 'open' });
  cleanups.push(() => relay.close());
  return relay;
}

/** The first state that says how a login went. */
async function login(authority: string): Promise<LinkState> {
  const { agent } = await makePeers();
  return new Promise((resolve) => {
    const link = openLink<MemoryTx>({
      relayUrl: `ws://${authority}`,
      identity: agent.identity,
      store: new MemoryPeerStore(),
      binding: 'required',
      handler: {
        channelsOf: () => [],
        onPayload: () => undefined,
        onState: (state) => {
          if (state.phase === 'online' || state.phase === 'waiting') resolve(state);
        },
      },
    });
    cleanups.push(() => link.close());
    link.start();
  });
}

describe('a relay with several public hosts', () => {
  it('proves to be each of them to who dials it by that name, and no other one', async () => {
    const slot: { relay?: RunningRelay } = {};
    const portOf = () => slot.relay?.port ?? 0;
    const [first, second, unlisted] = [await proxy(portOf), await proxy(portOf), await proxy(portOf)];
    slot.relay = await relayAt([`ws://${first}`, `ws://${second}`]);
    expect((await login(first)).phase).toBe('online');
    expect((await login(second)).phase).toBe('online');
    expect(await login(unlisted)).toMatchObject({ problem: { code: 'relay_binding' } });
  });
});

describe('a proxy that rewrites Host', () => {
  it('keeps the agent from signing, and the error names both hosts and what to do', async () => {
    const slot: { relay?: RunningRelay } = {};
    const dialled = await proxy(() => slot.relay?.port ?? 0, 'localhost');
    slot.relay = await relayAt(['ws://localhost', `ws://${dialled}`]);
    const state = await login(dialled);
    expect(state).toMatchObject({ phase: 'waiting', problem: { code: 'relay_binding' } });
    const { message } = (state as Extract<LinkState, { phase: 'waiting' }>).problem;
    expect(message).toContain(`Dialled ${dialled}`);
    expect(message).toContain('proves to be localhost');
    expect(message).toContain('a proxy must pass Host on');
  });
});
