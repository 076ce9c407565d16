/** What a relay on a data file still knows after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Keys } from '../support/relay/raw-peer.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-durable-'));
let scene: RelayScene;
afterEach(async () => {
  await scene.close();
  rmSync(dir, { recursive: true });
});

describe('a relay that was stopped and started again', () => {
  it('still knows agents and devices, and delivers what it had accepted', async () => {
    const store = join(dir, 'relay.sqlite');
    scene = await RelayScene.open({ store });
    const agent = await scene.agent();
    const [keys] = (await scene.pair(agent)) as [Keys];
    const sent = Array.from({ length: 20 }, () => sealed(keys.publicKey, false, 5000));
    for (const message of sent) agent.peer.send(message);
    await agent.peer.settled();
    await scene.close();

    scene = await RelayScene.open({ store });
    const device = await scene.client(agent.namespaceId, keys);
    for (const { nonce, ciphertext } of sent) {
      expect(await device.peer.next('message')).toMatchObject({ nonce, ciphertext, live: false });
    }
    const again = await scene.agent(agent.keys);
    expect(await scene.authorize(again, [keys])).toBe(1);
  });
});
