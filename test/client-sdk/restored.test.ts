/** A device whose state was restored from an older copy (02 §2): it repeats no nonce, and its answers count. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@countersign/client-sdk/storage/file';
import { expect, it } from 'vitest';
import { itemWhen } from './waiting.js';
import { atEnd, openDevice, World } from './world.js';

/** Counters begin with the second a process starts in (02 §2). */
function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1020 - (Date.now() % 1000)));
}

it('a device restored from an older copy repeats no nonce, and its answers count', async () => {
  const root = mkdtempSync(join(tmpdir(), 'countersign-restored-'));
  atEnd(async () => rmSync(root, { recursive: true }));
  const [present, copy] = [join(root, 'present'), join(root, 'copy')];
  const world = await World.start();
  const agent = await world.agent();

  const storage = await fileStorage({ directory: present });
  const device = await world.device(agent, { storage });
  await device.client.close();
  cpSync(present, copy, { recursive: true, filter: (file) => !file.endsWith('lock') });

  // What the device does afterwards, the copy knows nothing of.
  await nextSecond();
  const later = await openDevice({ storage });
  const first = await agent.ask('approval', {});
  await (await later.approve(await itemWhen(later, first.request_id))).settled();
  await later.close();
  await storage.close();

  await nextSecond();
  const restored = await fileStorage({ directory: copy });
  atEnd(() => restored.close());
  const client = await openDevice({ storage: restored });
  const second = await agent.ask('approval', {});
  const sent = await client.approve(await itemWhen(client, second.request_id));
  expect(await sent.settled()).toMatchObject({ phase: 'confirmed', outcome: 'approved' });
  expect(agent.link.dropped).toEqual({});
});
