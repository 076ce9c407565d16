/** 01 §1: paths, Origin, TLS, listeners. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRelay } from '@countersign/server';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from 'ws';
import { RawPeer } from '../support/relay/raw-peer.js';
import { RelayScene } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene?.close());

const httpUrl = () => scene.relay.url.replace('ws', 'http');

/** Status and body with which an upgrade is refused. */
async function refused(path: string, options: ClientOptions = {}) {
  const peer = new RawPeer(`${scene.relay.url}${path}`, options);
  const [, response] = await once(peer.ws, 'unexpected-response');
  response.setEncoding('utf8');
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode as number, body };
}

describe('paths', () => {
  it('/healthz answers ok', async () => {
    scene = await RelayScene.open();
    const response = await fetch(`${httpUrl()}/healthz`);
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
  });

  it('/readyz is on a listener of its own', async () => {
    scene = await RelayScene.open();
    expect((await fetch(`${httpUrl()}/readyz`)).status).toBe(404);
    const response = await fetch(`${scene.relay.opsUrl}/readyz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ ready: true, store: 'ok', connections: 0 });
  });

  it('/v1/pipe is not offered', async () => {
    scene = await RelayScene.open();
    expect((await fetch(`${httpUrl()}/v1/pipe`)).status).toBe(404);
  });

  it('/v1/ws without an upgrade says what is needed', async () => {
    scene = await RelayScene.open();
    expect((await fetch(`${httpUrl()}/v1/ws`)).status).toBe(426);
  });

  it('only /v1/ws upgrades', async () => {
    scene = await RelayScene.open();
    const status = async (path: string) => {
      const socket = connect(scene.relay.port, '127.0.0.1');
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      );
      const [first] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return first.toString().split(' ')[1];
    };
    expect(await status('/v1/ws')).toBe('101');
    for (const path of ['/v1/pipe', '/healthz', '/', '/v1/ws/x']) expect(await status(path)).toBe('404');
  });

  it('a failed upgrade gives its place back', async () => {
    scene = await RelayScene.open({ openBeforeLoginPerAddress: 1, maxConnections: 1 });
    const socket = connect(scene.relay.port, '127.0.0.1');
    socket.write(
      'GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1.1 400/);
    await once(socket, 'close');
    await scene.agent();
  });
});

describe('connections that are no WebSocket', () => {
  const opened = async () => {
    const socket = connect(scene.relay.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const isAlive = async (socket: Socket) => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    return first.toString().startsWith('HTTP/1.1 200');
  };

  it('are as many as may wait for a login: the oldest makes room', async () => {
    scene = await RelayScene.open({ maxConnectionsBeforeLogin: 2 });
    const first = await opened();
    const firstClosed = once(first, 'close');
    const second = await opened();
    const third = await opened();
    await firstClosed;
    expect([await isAlive(second), await isAlive(third)]).toEqual([true, true]);
    for (const socket of [second, third]) socket.destroy();
  });

  it('do not count once they are one', async () => {
    scene = await RelayScene.open({ maxConnectionsBeforeLogin: 2 });
    const { peer } = await scene.agent();
    const others = [await opened(), await opened(), await opened()];
    await peer.settled();
    for (const socket of others) socket.destroy();
  });

  it('do not hold up the end, whatever they asked for', async () => {
    scene = await RelayScene.open();
    const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const closed = ['', 'GET /v1', `GET /%zz HTTP/1.1\r\n${upgrade}`].map(async (text) => {
      const socket = await opened();
      socket.resume().write(text);
      await once(socket, 'close');
    });
    await isAlive(await opened());
    await scene.relay.close();
    await Promise.all(closed);
  });
});

describe('an Origin header', () => {
  it('of another site is refused, and the answer names the setting', async () => {
    scene = await RelayScene.open();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const answer = await refused('/v1/ws', { headers: { origin } });
      expect(answer.status).toBe(403);
      expect(answer.body).toContain('allowedOrigins');
    }
  });

  it('of the relay itself or of a listed site is let in', async () => {
    scene = await RelayScene.open({ allowedOrigins: ['https://app.example'] });
    for (const origin of [httpUrl(), 'https://app.example']) {
      await scene.connect({ headers: { origin } }).next('challenge');
    }
  });

  it('is not the own one because a rebound Host says so', async () => {
    scene = await RelayScene.open();
    const headers = { host: 'evil.example', origin: 'http://evil.example' };
    expect((await refused('/v1/ws', { headers })).status).toBe(403);
  });

  it('of a public host is let in, of another site is not', async () => {
    scene = await RelayScene.open({ publicHosts: ['relay.example'] });
    const headers = { host: 'relay.example', origin: 'https://relay.example' };
    await scene.connect({ headers }).next('challenge');
    const other = { ...headers, origin: 'https://other.example' };
    expect((await refused('/v1/ws', { headers: other })).status).toBe(403);
  });
});

describe('compression', () => {
  it('is not negotiated', async () => {
    scene = await RelayScene.open();
    const peer = scene.connect({ perMessageDeflate: true });
    await peer.next('challenge');
    expect(peer.ws.extensions).toBe('');
  });
});

describe('TLS', () => {
  it('is ended by the relay when it has a certificate', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
    const [tlsKey, tlsCert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    execFileSync('openssl', [...args, '-subj', '/CN=localhost', '-keyout', tlsKey, '-out', tlsCert], {
      stdio: 'ignore',
    });
    scene = await RelayScene.open({ tlsCert, tlsKey });
    expect(scene.relay.url).toMatch(/^wss:/);
    await scene.connect({ rejectUnauthorized: false }).next('challenge');
    rmSync(dir, { recursive: true });
  });

  it('cannot be had from a file that holds none', async () => {
    const attempt = startRelay({ port: 0, tlsCert: 'package.json', tlsKey: 'package.json' });
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_request', details: { setting: 'tlsCert' } });
  });
});

describe('a busy port', () => {
  it.each(['port', 'opsPort'] as const)('of %s is named, and nothing is left open', async (setting) => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const attempt = startRelay({ port: 0, [setting]: port });
    await expect(attempt).rejects.toMatchObject({ code: 'port_in_use', details: { port, setting } });
    holder.close();
  });
});

describe('many refusals', () => {
  it('are told of once a minute for each reason', async () => {
    const lines: string[] = [];
    scene = await RelayScene.open({}, { log: { write: (line) => lines.push(line) } });
    for (let i = 0; i < 3; i++) await refused('/v1/ws', { headers: { origin: 'https://evil.example' } });
    expect(lines.filter((line) => line.includes('connection_refused'))).toHaveLength(1);
  });
});
