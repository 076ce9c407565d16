/** What a socket says it holds for a peer that does not read, over a real connection. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { WsSocket } from './ws-socket.js';

const open: { close?: () => void; terminate?: () => void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) (each.terminate ?? each.close)?.call(each);
});

async function pair() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  open.push({ close: () => server.close() });
  await once(server, 'listening');
  const peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  open.push(peer);
  const [ws, request] = (await once(server, 'connection')) as [WebSocket, IncomingMessage];
  open.push(ws);
  if (peer.readyState !== peer.OPEN) await once(peer, 'open');
  const stream = request.socket;
  return { socket: new WsSocket(ws, stream), ws, peer, stream };
}

/** The peer reads nothing, and the network between holds all it can. */
async function stuck() {
  const parts = await pair();
  parts.peer.pause();
  const filler = new Uint8Array(512 * 1024);
  while (parts.ws.bufferedAmount === 0) {
    parts.socket.send(filler);
    await new Promise(setImmediate);
  }
  return parts;
}

describe('a socket', () => {
  it('holds nothing once the network took it', async () => {
    const { socket, peer } = await pair();
    socket.send(Uint8Array.of(1));
    socket.ping(new Uint8Array(8));
    socket.pong(new Uint8Array(8));
    await once(peer, 'pong');
    expect(socket.bufferedBytes).toBe(0);
  });

  it('counts what each waiting write costs, however small', async () => {
    const { socket } = await stuck();
    const before = socket.bufferedBytes;
    for (let i = 0; i < 100; i++) socket.pong(new Uint8Array(0));
    expect(socket.bufferedBytes - before).toBe(100 * (2 + 300));
  });

  it('keeps no large piece of the network for a small frame of it that waits', async () => {
    const { socket, peer } = await stuck();
    const piece = new Uint8Array(64 * 1024).fill(1);
    socket.send(piece.subarray(100, 200));
    piece.fill(2);
    const received: Buffer[] = [];
    peer.on('message', (data) => received.push(data as Buffer));
    peer.resume();
    while (received.at(-1)?.length !== 100) await once(peer, 'message');
    expect(received.at(-1)).toEqual(Buffer.alloc(100, 1));
  });

  it('hands the messages of one turn to the network together, in order with what else it says', async () => {
    const { socket, peer, stream } = await pair();
    const heard: unknown[] = [];
    peer.on('message', (data) => heard.push((data as Buffer)[0]));
    peer.on('pong', () => heard.push('pong'));
    socket.send(Uint8Array.of(1));
    socket.pong(new Uint8Array(0));
    socket.send(Uint8Array.of(2));
    expect(stream.writableLength).toBeGreaterThan(0);
    await once(peer, 'pong');
    while (heard.length < 3) await once(peer, 'message');
    expect(heard).toEqual([1, 'pong', 2]);
    expect(socket.bufferedBytes).toBe(0);
  });

  it('gathers no more than a bounded piece', async () => {
    const { socket, stream } = await pair();
    for (let i = 0; i < 4; i++) socket.send(new Uint8Array(16 * 1024));
    expect(stream.writableLength).toBe(0);
  });

  it('loses nothing that was said in the turn of its close', async () => {
    const { socket, peer } = await pair();
    const message = once(peer, 'message');
    const closed = once(peer, 'close');
    socket.send(Uint8Array.of(7));
    socket.close(1008, 'over');
    expect([...((await message)[0] as Buffer)]).toEqual([7]);
    expect((await closed)[0]).toBe(1008);
  });

  it('swallows what is written after the end', async () => {
    const { socket, ws } = await pair();
    ws.terminate();
    await once(ws, 'close');
    for (const write of [socket.send, socket.ping, socket.pong]) write.call(socket, new Uint8Array(4));
    expect(socket.bufferedBytes).toBe(0);
  });
});
