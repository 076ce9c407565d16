/** Connections that never become a WebSocket, over real sockets. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Lobby } from './lobby.js';

const UPGRADE = 'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function open(upgradeMs: number) {
  const server = createServer();
  const lobby = new Lobby({ maxSockets: 2, upgradeMs });
  lobby.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  const visit = async () => {
    const entered = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    cleanUps.push(() => socket.destroy());
    await Promise.all([entered, once(socket, 'connect')]);
    return socket;
  };
  return { server, lobby, visit };
}

async function empty(lobby: Lobby): Promise<void> {
  while (lobby.size > 0) await new Promise(setImmediate);
}

describe('the lobby', () => {
  it('ends an upgrade that nobody answers', async () => {
    const { server, lobby, visit } = await open(20);
    server.on('upgrade', () => undefined);
    const socket = await visit();
    socket.write(UPGRADE);
    await once(socket, 'close');
    await empty(lobby);
  });

  it('leaves alone who became a WebSocket', async () => {
    const { server, lobby, visit } = await open(20);
    const socket = await visit();
    const upgraded = once(server, 'upgrade');
    socket.write(UPGRADE);
    const [, stream] = (await upgraded) as [unknown, Duplex];
    lobby.leave(stream);
    expect(lobby.size).toBe(0);
    const other = await visit();
    other.write(UPGRADE);
    await once(other, 'close');
    expect(socket.closed).toBe(false);
    stream.destroy();
  });

  it('forgets who went', async () => {
    const { lobby, visit } = await open(1_000);
    const socket = await visit();
    expect(lobby.size).toBe(1);
    socket.destroy();
    await empty(lobby);
  });

  it('lets nobody in once it is closed', async () => {
    const { lobby, visit } = await open(1_000);
    const early = await visit();
    lobby.close();
    await once(early, 'close');
    const late = await visit();
    if (!late.closed) await once(late, 'close');
    await empty(lobby);
  });
});
