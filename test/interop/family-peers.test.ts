/** What any peer of the original family may do wrong, and how large its frames may be. */
import { encodeFrame } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { keysFrom } from './family-keys.js';
import { envelope, FamilyRelay, TOKEN } from './family-relay.js';

const agentKeys = keysFrom(1);
const deviceKeys = keysFrom(2);
const strangerKeys = keysFrom(3);
const KIB = 1024;

/** Bytes of ciphertext in a frame of that size. */
function largestFor(bytes: number, live: boolean): number {
  const ciphertext = Buffer.alloc(bytes - KIB);
  return bytes - (encodeFrame(envelope(agentKeys, live, ciphertext)).length - ciphertext.length);
}

let relay: FamilyRelay;
afterEach(() => relay.close());

describe('any peer of the family', () => {
  it('stays connected after a frame that is empty, not for its role, for nobody, or badly sized', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    const refused = async (code: string) => expect((await app.frame('error')).code).toBe(code);
    app.sendRaw(new Uint8Array(0));
    await refused('bad_request');
    app.send({ type: 'authorize', clients: [] });
    await refused('bad_request');
    app.send({ type: 'pairing_start', pairingToken: TOKEN, ttl: 300 });
    await refused('bad_request');
    app.send({ type: 'pairing_stop' });
    await refused('bad_request');
    app.send(envelope(strangerKeys, false));
    await refused('not_found');
    app.send({ ...envelope(agentKeys, false), peer: Buffer.alloc(31) });
    await refused('bad_request');
    app.send({ ...envelope(agentKeys, false), nonce: Buffer.alloc(11) });
    await refused('bad_request');
    app.send(envelope(agentKeys, false, Buffer.alloc(0)));
    await refused('bad_request');
    await app.hearsNothing();
  });

  it('is not answered when it sends text, an error or what only relays send', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    app.sendRaw('text');
    app.send({ type: 'error', code: 'x', message: '' });
    app.send({ type: 'presence_list', online: [] });
    app.send({ type: 'challenge', nonce: Buffer.alloc(32) });
    await app.hearsNothing();
  });

  it('may queue a frame of 64 KiB and send one of 512 KiB live, no byte more', async () => {
    relay = await FamilyRelay.start();
    const { agent, app } = await relay.couple(agentKeys, deviceKeys);
    const queuedBytes = largestFor(64 * KIB, false);
    const liveBytes = largestFor(512 * KIB, true);
    app.send(envelope(agentKeys, false, Buffer.alloc(queuedBytes)));
    expect((await agent.frame('message')).ciphertext).toHaveLength(queuedBytes);
    app.send(envelope(agentKeys, true, Buffer.alloc(liveBytes)));
    expect((await agent.frame('message')).ciphertext).toHaveLength(liveBytes);
    app.send(envelope(agentKeys, false, Buffer.alloc(queuedBytes + 1)));
    expect((await app.frame('error')).code).toBe('payload_too_large');
    await app.end();
  });

  it('is told bad_request and left when its frame is garbage', async () => {
    relay = await FamilyRelay.start();
    const { app } = await relay.couple(agentKeys, deviceKeys);
    app.sendRaw(Buffer.alloc(20, 0xff));
    expect((await app.frame('error')).code).toBe('bad_request');
    await app.end();
  });
});

describe('the HTTP side', () => {
  it('has /healthz, and no byte-stream endpoint', async () => {
    relay = await FamilyRelay.start();
    const base = relay.running.url.replace('ws', 'http');
    const health = await fetch(`${base}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
    expect((await fetch(`${base}/v1/pipe`)).status).toBe(404);
  });
});
