import { afterEach, describe, expect, it } from 'vitest';
import { RelayScene, sealed } from './relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

describe('a relay', () => {
  it('carries live and queued messages both ways', async () => {
    scene = await RelayScene.open();
    const { agent, device } = await scene.couple();
    const live = sealed(device.keys.publicKey, true);
    agent.peer.send(live);
    expect((await device.peer.next('message')).ciphertext).toEqual(live.ciphertext);
    const queued = sealed(agent.keys.publicKey, false);
    device.peer.send(queued);
    const got = await agent.peer.next('message');
    expect(got.peer).toEqual(device.keys.publicKey);
    expect(got.nonce).toEqual(queued.nonce);
  });
});
