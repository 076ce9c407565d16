import { describe, expect, it } from 'vitest';
import { ArrivalQueue, MAX_ARRIVALS, type SessionArrival } from './arrival-queue.js';

async function all(queue: ArrivalQueue): Promise<SessionArrival[]> {
  const seen: SessionArrival[] = [];
  for await (const one of queue) seen.push(one);
  return seen;
}

describe('arrivals of a window', () => {
  it('are told to every reader from the first, each once', async () => {
    const queue = new ArrivalQueue();
    queue.push({ deviceId: 'a', platform: 'web' });
    const early = all(queue);
    queue.push({ deviceId: 'a', platform: 'web' });
    queue.push({ deviceId: 'b', platform: 'ios', refused: true });
    queue.end();
    expect(await early).toEqual(await all(queue));
    expect((await early).map(({ deviceId }) => deviceId)).toEqual(['a', 'b']);
  });

  it('are bounded, whatever a relay announces', async () => {
    const queue = new ArrivalQueue();
    for (let n = 0; n <= MAX_ARRIVALS; n++) queue.push({ deviceId: `d${n}`, platform: 'web', refused: true });
    queue.end();
    expect(await all(queue)).toHaveLength(MAX_ARRIVALS);
  });
});
