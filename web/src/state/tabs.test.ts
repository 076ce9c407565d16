/** Two tabs and one connection. */
import { expect, it } from 'vitest';
import { watchTabs } from './tabs.js';

/** Channels that hear each other at once, as tabs do a little later. */
function channels(count: number): BroadcastChannel[] {
  const all = Array.from({ length: count }, () => new EventTarget());
  return all.map((own) => {
    const postMessage = (data: unknown) => {
      for (const other of all) if (other !== own) other.dispatchEvent(new MessageEvent('message', { data }));
    };
    return Object.assign(own, { postMessage }) as unknown as BroadcastChannel;
  });
}

it('the one that asks goes on, every other lets go, once', () => {
  const gone: string[] = [];
  const [a, b] = channels(2).map((channel, at) =>
    watchTabs(async () => void gone.push(`tab ${at}`), channel),
  );
  a?.takeOver();
  a?.takeOver();
  expect(gone).toEqual(['tab 1']);
  expect([a?.handedOver.value, b?.handedOver.value]).toEqual([false, true]);
});

it('a letting go that fails disturbs nobody', () => {
  const [channel, other] = channels(2);
  const tabs = watchTabs(() => Promise.reject(new Error('closed')), channel);
  other?.postMessage('use-here');
  other?.postMessage({ strange: true });
  expect(tabs.handedOver.value).toBe(true);
});
