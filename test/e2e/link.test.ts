/** Links of an agent and of devices against the real relay, over real sockets. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { windowOf } from '@countersign/protocol/auth';
import { type Link, pairAtRelay } from '@countersign/protocol/link';
import { describe, expect, it } from 'vitest';
import { makePeers } from '../support/link/peers.js';
import {
  cleanUpAfterEach,
  cleanups,
  pairedSides,
  pairing,
  pairingOf,
  relayWith,
  sideOf,
  TOKEN,
} from '../support/link/relay-sides.js';

cleanUpAfterEach();

describe('an agent and a device at a relay', () => {
  it('pair, log in with a bound challenge, and talk both ways', async () => {
    const { peers, agent, device } = await pairedSides(await relayWith());
    expect(agent.paired[0]).toMatchObject({
      deviceEd25519: peers.device.keys.ed25519Public,
      platform: 3,
      window: await windowOf(TOKEN),
    });
    const common = ['ref', 'received', 'window'];
    expect([...agent.link.capabilities]).toEqual([...common, 'push-hints', 'push-report']);
    expect([...device.link.capabilities]).toEqual([...common, 'push-handle']);
    expect(await agent.link.sendLive(peers.atAgent, { kind: 'inbox_update' })).toBe('written');
    expect(await device.received()).toEqual({ kind: 'inbox_update' });
    await device.link.queue(peers.atDevice, { kind: 'approval_response' });
    expect(await agent.received()).toEqual({ kind: 'approval_response' });
    await device.link.flushed();
    expect(device.store.rows).toEqual([]);
    expect((await agent.link.presence()).sort()).toEqual([peers.agent.hex, peers.device.hex].sort());
  });

  it('what is queued for a device that is away waits for it, in order', async () => {
    const relay = await relayWith();
    const { peers, agent, device } = await pairedSides(relay);
    await device.link.close();
    await agent.heard('offline');
    for (let n = 0; n < 20; n++) await agent.link.queue(peers.atAgent, { n });
    await agent.link.flushed();
    expect(await agent.link.sendLive(peers.atAgent, {})).toBe('written');
    await agent.heard('peer_offline');
    const back = sideOf(relay, peers.device, peers.atDevice);
    for (let n = 0; n < 20; n++) expect(await back.received()).toEqual({ n });
  });

  it('a device that could not store a message gets it again', async () => {
    const relay = await relayWith();
    const { peers, agent, device } = await pairedSides(relay);
    let failures = 1;
    device.store.before = (operation) => {
      if (operation === 'receive' && failures-- > 0) throw new Error('disk');
    };
    await agent.link.queue(peers.atAgent, { n: 1 });
    await agent.link.queue(peers.atAgent, { n: 2 });
    expect(await device.received()).toEqual({ n: 1 });
    expect(await device.received()).toEqual({ n: 2 });
  });

  it('a full queue refuses, nothing of it is lost, and other devices are served meanwhile', async () => {
    const relay = await relayWith({ agentQueueMessages: 3 });
    const { peers, agent, device } = await pairedSides(relay);
    const second = await makePeers(3);
    await agent.link.pairingStart(TOKEN, 60);
    await pairing(relay, second);
    await agent.link.authorize([peers.device.keys.ed25519Public, second.device.keys.ed25519Public]);
    await device.link.close();
    await agent.heard('offline');
    for (let n = 0; n < 5; n++) await agent.link.queue(peers.atAgent, { n });
    await agent.link.queue(second.atAgent, { n: 99 });
    const other = sideOf(relay, second.device, second.atDevice);
    expect(await other.received()).toEqual({ n: 99 });
    const back = sideOf(relay, peers.device, peers.atDevice);
    for (let n = 0; n < 5; n++) expect(await back.received()).toEqual({ n });
    await agent.link.flushed();
  });

  it('the relay goes and comes back: both return, and what was queued meanwhile arrives', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-link-'));
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    const store = join(dir, 'relay.db');
    const first = await relayWith({ store });
    const { peers, agent, device } = await pairedSides(first);
    await first.close();
    await agent.link.queue(peers.atAgent, { n: 1 });
    await relayWith({ store, port: first.port });
    // Whatever their backoff has grown to by now, they need not sit it out.
    const impatient = setInterval(() => {
      agent.link.retryNow();
      device.link.retryNow();
    }, 20);
    cleanups.push(() => clearInterval(impatient));
    expect(await device.received()).toEqual({ n: 1 });
    await agent.link.flushed();
  });
});

describe('what the relay refuses', () => {
  it('an agent without an invite, and says whom to ask for one', async () => {
    const relay = await relayWith({ registration: 'invite' });
    const peers = await makePeers();
    const states: Link['state'][] = [];
    const refused = new Promise<void>((resolve) => {
      sideOf(relay, peers.agent, peers.atAgent, {
        on: {
          onState: (state) => {
            states.push(state);
            if (state.phase === 'waiting') resolve();
          },
        },
      });
    });
    await refused;
    expect(states.at(-1)).toMatchObject({
      problem: { code: 'unauthorized', message: expect.stringContaining('ask its operator') },
    });
    const welcome = sideOf(relay, peers.agent, peers.atAgent, { invite: relay.invite });
    await welcome.link.whenOnline({ timeoutMs: 5000 });
  });

  it('a pairing with a wrong token, while the window stays open for the right one', async () => {
    const relay = await relayWith();
    const peers = await makePeers();
    const agent = sideOf(relay, peers.agent, peers.atAgent);
    await agent.link.whenOnline();
    await agent.link.pairingStart(TOKEN, 60);
    const wrong = pairing(relay, peers, new Uint8Array(32));
    await expect(wrong).rejects.toBeInstanceOf(CountersignError);
    await expect(wrong).rejects.toMatchObject({ code: 'pairing_closed' });
    await pairing(relay, peers);
    await pairing(relay, peers);
    await agent.link.pairingStop();
  });

  it('a second login of one identity displaces the first', async () => {
    const relay = await relayWith();
    const peers = await makePeers();
    const waiting: Link['state'][] = [];
    const first = sideOf(relay, peers.agent, peers.atAgent, {
      on: { onState: (state) => void (state.phase === 'waiting' && waiting.push(state)) },
    });
    await first.link.whenOnline();
    const second = sideOf(relay, peers.agent, peers.atAgent);
    await second.link.whenOnline();
    while (waiting.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(waiting[0]).toMatchObject({ problem: { code: 'displaced' } });
  });

  it('to nobody: a challenge forwarded from it by another host is not signed', async () => {
    const relay = await relayWith();
    const thief = createServer((near) => {
      const far = connect(relay.port, '127.0.0.1');
      near.once('data', (head) => {
        far.write(head.toString('latin1').replace(/^Host: .*$/im, `Host: 127.0.0.1:${relay.port}`), 'latin1');
        near.pipe(far);
      });
      far.pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined);
    });
    thief.listen(0, '127.0.0.1');
    await once(thief, 'listening');
    cleanups.push(() => thief.close());
    const stolen = `127.0.0.1:${(thief.address() as AddressInfo).port}`;
    const pairing = pairAtRelay({ ...pairingOf(relay, await makePeers()), relayUrl: `ws://${stolen}` });
    await expect(pairing).rejects.toMatchObject({
      code: 'relay_binding',
      message: expect.stringContaining(stolen),
    });
  });
});
