/** A state that cannot be written while its agent runs: nothing is lost, nothing applied by half. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from './rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

/** Another program writes and does not end: every write of the agent fails, as on a full disk. */
function occupy(dir: string): () => void {
  const other = new Database(join(dir, 'state.db'));
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

describe('while the state cannot be written', () => {
  it('an answer waits at the relay and applies, once, when it can be', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    const device = await rig.pair(agent);
    const asked = agent.requestApproval({ toolName: 'deploy' });
    const entry = await device.item('approval');
    await device.waitFor('alert', (one) => one.kind === 'notification');
    const lost = new Promise<{ code: string }>((resolve) => agent.on('disconnected', resolve));

    const release = occupy(dir);
    const ref = await device.approve(entry);
    expect(await lost).toMatchObject({ code: 'local_failure' });
    expect(await agent.pending()).toHaveLength(1);
    release();

    expect(await asked).toMatchObject({ status: 'approved', by: { deviceId: device.id } });
    expect(await device.ack(ref)).toMatchObject({ status: 'applied', outcome: 'approved' });
  }, 30_000);

  it('a request is refused, and nobody is asked', async () => {
    const dir = rig.dir();
    const agent = await rig.open({ dir });
    await rig.pair(agent);
    const release = occupy(dir);
    await expect(agent.requestApproval({ toolName: 'deploy' })).rejects.toMatchObject({
      code: 'state_locked',
    });
    release();
    expect(await agent.pending()).toEqual([]);
  }, 30_000);
});
