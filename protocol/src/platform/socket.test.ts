import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { platform as node } from './node.js';
import type { Platform, Socket, SocketClose } from './platform.js';
import { platform as web } from './web.js';

const OPTIONS = { maxPayloadBytes: 1_000, handshakeTimeoutMs: 5_000 };

/** One socket whose events can be awaited and counted. */
class Probe {
  readonly messages: (Uint8Array | undefined)[] = [];
  readonly closes: SocketClose[] = [];
  readonly events = new EventEmitter();
  readonly socket: Socket;

  constructor(platform: Platform, url: string, options = OPTIONS) {
    this.socket = platform.openSocket(
      url,
      {
        onOpen: () => this.events.emit('open'),
        onMessage: (data) => this.events.emit('message', this.messages.push(data)),
        onPing: (data) => this.events.emit('ping', data),
        onPong: (data) => this.events.emit('pong', data),
        onClose: (info) => this.events.emit('close', this.closes.push(info)),
      },
      options,
    );
  }

  async closed(): Promise<SocketClose> {
    if (this.closes.length === 0) await once(this.events, 'close');
    return this.closes[0] as SocketClose;
  }
}

/** ws as a browser's WebSocket: an error needs no listener. */
class BrowserWebSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    this.on('error', () => {});
  }
}

const servers: { close(): unknown }[] = [];

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`;
}

async function wsServer(onSocket: (ws: WebSocket) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push({ close: () => [...server.clients].map((ws) => ws.terminate()) && server.close() });
  server.on('connection', onSocket);
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`;
}

const httpServer = (status: number) =>
  listen(
    createHttpServer().on('upgrade', (_request, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`);
    }),
  );

beforeEach(() => vi.stubGlobal('WebSocket', BrowserWebSocket));
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  vi.unstubAllGlobals();
});

describe.each([
  ['node', node],
  ['web', web],
])('a socket of the platform %s', (_runtime, platform) => {
  test('carries binary messages both ways and reports a text as undefined', async () => {
    const url = await wsServer((ws) => {
      ws.send('text');
      ws.on('message', (data) => ws.send(data));
    });
    const probe = new Probe(platform, url);
    await once(probe.events, 'message');
    probe.socket.send(Uint8Array.of(1, 2, 3));
    await once(probe.events, 'message');
    expect(probe.messages).toEqual([undefined, Uint8Array.of(1, 2, 3)]);
    expect(Object.getPrototypeOf(probe.messages[1])).toBe(Uint8Array.prototype);
    probe.socket.close(4001, 'bye');
    expect(await probe.closed()).toEqual({ code: 4001, reason: 'bye' });
  });

  test('reports code and reason of the other end, once', async () => {
    const probe = new Probe(platform, await wsServer((ws) => ws.close(4002, 'revoked')));
    expect(await probe.closed()).toEqual({ code: 4002, reason: 'revoked' });
    probe.socket.close(1000, '');
    probe.socket.terminate();
    probe.socket.send(Uint8Array.of(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(probe.closes).toHaveLength(1);
  });

  test('ends at once when terminated', async () => {
    const probe = new Probe(platform, await wsServer(() => {}));
    await once(probe.events, 'open');
    probe.socket.terminate();
    expect(await probe.closed()).toEqual({ code: 1006, reason: '' });
  });

  test('can be terminated before it opened', async () => {
    const probe = new Probe(platform, await listen(createTcpServer()));
    probe.socket.terminate();
    expect(await probe.closed()).toMatchObject({ code: 1006 });
  });

  test('takes a message of the limit and closes with 1009 on one above', async () => {
    const url = await wsServer((ws) => {
      ws.send(new Uint8Array(1_000));
      ws.send(new Uint8Array(1_001));
    });
    const probe = new Probe(platform, url);
    expect(await probe.closed()).toMatchObject({ code: 1009 });
    expect(probe.messages).toEqual([new Uint8Array(1_000)]);
  });

  test('gives up on a server that does not answer the upgrade', async () => {
    const silent = await listen(createTcpServer());
    const probe = new Probe(platform, silent, { ...OPTIONS, handshakeTimeoutMs: 50 });
    expect(await probe.closed()).toEqual({ code: 1006, reason: '', cause: 'ETIMEDOUT' });
  });

  test.each([
    '',
    'no url',
    'relative',
    'ftp://127.0.0.1',
    'http://127.0.0.1:1/',
    'ws+unix:///tmp/x',
    'ws://127.0.0.1:1/#fragment',
  ])('reports %j as no address, without throwing and not before it returned', async (url) => {
    const probe = new Probe(platform, url);
    expect(probe.closes).toEqual([]);
    expect(await probe.closed()).toEqual({ code: 1006, reason: '', cause: 'invalid_url' });
  });

  test('never opens on a refused connection', async () => {
    const probe = new Probe(platform, 'ws://127.0.0.1:1/v1/ws');
    expect(await probe.closed()).toMatchObject({
      code: 1006,
      cause: expect.stringMatching(/^(ECONNREFUSED|failed)$/),
    });
  });

  test('cuts a reason to what fits a close frame, at a character', async () => {
    const seen = new EventEmitter();
    const url = await wsServer((ws) =>
      ws.on('close', (code, reason) => seen.emit('close', code, `${reason}`)),
    );
    const probe = new Probe(platform, url);
    await once(probe.events, 'open');
    const ending = once(seen, 'close');
    probe.socket.close(4003, 'é'.repeat(100));
    expect(await ending).toEqual([4003, 'é'.repeat(61)]);
  });
});

describe('on Node', () => {
  test('a ping is answered by the owner alone', async () => {
    const pongs: string[] = [];
    const seen = new EventEmitter();
    const url = await wsServer((ws) => {
      ws.ping('first');
      ws.on('pong', (data) => seen.emit('pong', pongs.push(`${data}`)));
    });
    const probe = new Probe(node, url);
    const [data] = await once(probe.events, 'ping');
    expect(Buffer.from(data).toString()).toBe('first');
    probe.socket.pong(new TextEncoder().encode('second'));
    await once(seen, 'pong');
    expect(pongs).toEqual(['second']);
    probe.socket.ping(Uint8Array.of(5));
    expect(await once(probe.events, 'pong')).toEqual([Uint8Array.of(5)]);
    expect(probe.socket.canPing).toBe(true);
  });

  test.each([301, 403, 429])(
    'a refused upgrade tells its status %i and no redirect is followed',
    async (status) => {
      const probe = new Probe(node, await httpServer(status));
      expect(await probe.closed()).toEqual({
        code: 1006,
        reason: '',
        httpStatus: status,
        cause: 'http_status',
      });
    },
  );

  test('a server that answers the upgrade byte by byte wins no time', async () => {
    const url = await listen(
      createTcpServer((socket) => {
        const trickle = setInterval(() => socket.write('H'), 5);
        socket.on('error', () => {}).on('close', () => clearInterval(trickle));
        socket.write('HTTP/1.1 101 ');
      }),
    );
    const probe = new Probe(node, url, { ...OPTIONS, handshakeTimeoutMs: 60 });
    expect(await probe.closed()).toEqual({ code: 1006, reason: '', cause: 'ETIMEDOUT' });
  });

  test('neither compression nor extensions are offered', async () => {
    const url = await wsServer((ws) => ws.close(1000, ws.extensions));
    expect(await new Probe(node, url).closed()).toEqual({ code: 1000, reason: '' });
  });
});

describe('in a browser', () => {
  test('pings are out of reach', async () => {
    const probe = new Probe(web, await wsServer(() => {}));
    await once(probe.events, 'open');
    expect(probe.socket.canPing).toBe(false);
    expect(() => probe.socket.ping(Uint8Array.of(1))).not.toThrow();
    expect(probe.socket.bufferedBytes).toBe(0);
    probe.socket.close(1001, 'not for pages');
    expect(await probe.closed()).toMatchObject({ code: 1005 });
  });
});
