/** Approvals, from the request to the verified decision, over a real relay. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Rig, startRig } from './rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.close());

const WRITE = { toolName: 'write_file', arguments: { path: '/tmp/é.txt', text: 'hello' } };

describe('an approval', () => {
  it('runs with the frozen arguments once a device countersigned it', async () => {
    const agent = await rig.open();
    const device = await rig.pair(agent, { name: 'Pixel' });
    const asked = agent.requestApproval(WRITE);
    const entry = await device.item('approval');
    const ref = await device.approve(entry);
    const outcome = await asked;
    expect(outcome).toMatchObject({ status: 'approved', arguments: WRITE.arguments, modified: false, scope: 'once' });
    expect(outcome).toMatchObject({ by: { name: 'Pixel', deviceId: device.id }, requestId: entry.request_id });
    expect(await device.ack(ref)).toMatchObject({ status: 'applied', outcome: 'approved', by: 'Pixel' });
    if (outcome.status === 'approved') await outcome.done();
  });
});
