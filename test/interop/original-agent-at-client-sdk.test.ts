/** An agent of the original style and our client SDK: answered once, never late (03 §5). */
import { describe, expect, it } from 'vitest';
import { agentAndSdkDevice, approvalOf } from './peer/sdk-client.js';

describe('an original agent', () => {
  it('has its items shown and its answers understood, with nothing it does not know in the way', async () => {
    const { agent, sdk, device, pairing, code } = await agentAndSdkDevice('original');
    expect(pairing.code.replace('-', '')).toBe(code());
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
    expect(item).toMatchObject({ digestMatches: true, whole: true });
    await sdk.client.approve(item, { bypassSecs: 900 });
    expect(await agent.receive('approval_response')).toMatchObject({
      request_id: entry.request_id,
      decision: 'approved',
      bypass_secs: 900,
    });
  });

  it('is answered once: the next snapshot without the item confirms it, a login repeats nothing', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const sent = await sdk.client.approve(await sdk.item(String(entry.request_id)));
    await agent.receive('approval_response');
    agent.snapshot(device, {});
    expect(await sent.settled()).toMatchObject({ phase: 'confirmed' });
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });

  it('gets no answer again that nothing confirmed', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    await sdk.client.approve(await sdk.item(String(entry.request_id)));
    await agent.receive('approval_response');
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    agent.snapshot(device, { approvals: [entry] });
    await sdk.item(String(entry.request_id));
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });

  it('gets no answer to an item of an earlier connection, nor while it is away', async () => {
    const { agent, sdk, device } = await agentAndSdkDevice('original');
    const entry = approvalOf(agent);
    agent.snapshot(device, { approvals: [entry] });
    const item = await sdk.item(String(entry.request_id));
    await sdk.client.close();
    await sdk.open();
    await agent.receive('inbox_request');
    await expect(sdk.client.approve(item)).rejects.toThrow();
    await agent.wire.settled();
    expect(agent.wire.waiting().filter((name) => name === 'message')).toEqual([]);
  });
});
