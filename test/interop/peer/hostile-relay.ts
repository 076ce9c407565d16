/** A relay in the hands of a test: it logs anyone in and then says whatever it is told to. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { commitment, namespaceOf } from './crypto.js';
import { decode, encode, type Frame, type FrameName, type Members } from './frames.js';

export interface HostileOptions {
  /** The challenge; default: bound to this relay's address, as an honest one's is. */
  challenge?: (authority: string) => Buffer;
  /** What answers `auth`; undefined says nothing. */
  answer?: (auth: Frame) => [FrameName, Members] | undefined;
}

export class HostileRelay {
  readonly url: string;
  /** All that peers said, in order. */
  readonly heard: Frame[] = [];
  private readonly server: WebSocketServer;
  private wake: () => void = () => undefined;

  private constructor(server: WebSocketServer, options: HostileOptions) {
    this.server = server;
    const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.url = `ws://${authority}`;
    server.on('connection', (socket) => this.serve(socket, authority, options));
  }

  static async start(options: HostileOptions = {}): Promise<HostileRelay> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const relay = new HostileRelay(server, options);
    onTestFinished(() => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    return relay;
  }

  private serve(socket: WebSocket, authority: string, options: HostileOptions): void {
    const { challenge = bound, answer = welcome } = options;
    socket.send(encode('challenge', { nonce: challenge(authority) }));
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const frame = decode(data);
      this.heard.push(frame);
      if (frame.name === 'auth') {
        const reply = answer(frame);
        if (reply !== undefined) socket.send(encode(...reply));
      }
      if (frame.name === 'authorize') {
        const { clients } = frame.is as { clients: Buffer[] };
        socket.send(encode('authorize_ok', { authorized: clients.length }));
      }
      if (frame.name === 'presence_request') socket.send(encode('presence_list', { online: [] }));
      if (frame.name === 'pairing_start') socket.send(encode('pairing_ready', { ttl: 300 }));
      if (frame.name === 'pairing_stop') socket.send(encode('pairing_stop_ok'));
      this.wake();
    });
  }

  /** To everyone connected. */
  say(name: FrameName, members: Members): void {
    for (const socket of this.server.clients) socket.send(encode(name, members));
  }

  /** Resolves when everyone connected has dealt with what was said. */
  async settled(): Promise<void> {
    await Promise.all(
      [...this.server.clients]
        .filter((socket) => socket.readyState === WebSocket.OPEN)
        .map((socket) => {
          socket.ping('settled');
          return Promise.race([once(socket, 'pong'), once(socket, 'close')]);
        }),
    );
  }

  async hears(name: FrameName, waitMs = 5_000): Promise<Frame> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const found = this.heard.find((frame) => frame.name === name);
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`never heard ${name}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 50);
      });
    }
  }
}

function bound(authority: string): Buffer {
  const r = randomBytes(16);
  return Buffer.concat([r, commitment(r, authority)]);
}

function welcome({ is }: Frame): [FrameName, Members] {
  const { ed25519 } = is.agent as { ed25519: Buffer };
  return ['auth_ok', { namespaceId: namespaceOf(ed25519), capabilities: ['window'] }];
}
