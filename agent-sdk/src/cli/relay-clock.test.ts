import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { clockAheadMs } from './relay-clock.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function relayWithDate(date: string | undefined): Promise<string> {
  server = createServer((_, response) => {
    if (date === undefined) response.sendDate = false;
    else response.setHeader('date', date);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const RELAY_TIME = Date.UTC(2026, 0, 1, 12);

it.each([0, 86_400_000, -86_400_000])(
  'a clock that is %d ms ahead is measured within a second',
  async (aheadMs) => {
    const url = await relayWithDate(new Date(RELAY_TIME).toUTCString());
    const measured = await clockAheadMs(url, undefined, () => RELAY_TIME + 500 + aheadMs);
    expect(measured).toBe(aheadMs);
  },
);

it.each([undefined, 'yesterday'])('a relay that says %j tells no time', async (date) => {
  expect(await clockAheadMs(await relayWithDate(date), undefined, Date.now)).toBeUndefined();
});

it('a relay that is not there tells no time', async () => {
  const url = await relayWithDate(undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await clockAheadMs(url, undefined, Date.now)).toBeUndefined();
});
