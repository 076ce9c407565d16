/**
 * The public listener: `/v1/ws`, `/v1/push`, `/healthz`, nothing else (01 §1). Owns sockets and TLS; what a connection may do
 * is the domain's. Must not know settings' sources or stores.
 */
import type { AddressInfo } from 'node:net';
import { WIRE } from '@countersign/protocol';
import fastifyWebsocket from '@fastify/websocket';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Relay } from '../domain/index.js';
import type { RelayEvents } from '../ports/index.js';
import { serveAppFiles } from './app-files.js';
import { Authorities } from './authority.js';
import { Lobby } from './lobby.js';
import { NO_SCHEMAS } from './no-schemas.js';
import { type PushInfo, servePushInfo } from './push-info.js';
import { type Admitted, UpgradeChecks } from './upgrade-checks.js';
import { report, WsSocket } from './ws-socket.js';

export interface RelayServerOptions {
  readonly relay: Relay;
  readonly events: RelayEvents;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly loopback: boolean;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly publicHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly maxLiveFrameBytes: number;
  /** Connections that are no WebSocket yet; the oldest makes room. */
  readonly maxSocketsBeforeUpgrade: number;
  readonly maxSockets: number;
  readonly push: PushInfo;
  /** The web app under `/app/`. */
  readonly serveApp: boolean;
}

export interface RunningServer {
  readonly port: number;
  /** Stops listening and ends what is left. */
  close(): Promise<void>;
}

/** How long an upgrade request may take, and a closing handshake. */
const REQUEST_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** How often requests that take too long are looked for. */
const REQUEST_CHECK_MS = 5_000;
/** Bounds what fragments and small reads cost before a message is whole. */
const MAX_FRAGMENTS = 1024;
const MAX_BUFFERED_CHUNKS = 8192;

/** @throws the listener's error, EADDRINUSE for one. */
export async function listen(options: RelayServerOptions): Promise<RunningServer> {
  const app = createApp(options);
  const lobby = new Lobby({ maxSockets: options.maxSocketsBeforeUpgrade, upgradeMs: REQUEST_TIMEOUT_MS });
  lobby.watch(app.server);
  const slot: { checks?: UpgradeChecks } = {};
  await app.register(fastifyWebsocket, webSocketOptions(options));
  app.addHook('onRequest', async (request, reply) => slot.checks?.check(request, reply));
  app.get('/healthz', async (_, reply) => reply.type('text/plain').send('ok'));
  servePushInfo(app, options.push, options.allowedOrigins);
  if (options.serveApp) await serveAppFiles(app);
  app.route({
    method: 'GET',
    url: WIRE.path,
    handler: async (_, reply) =>
      reply.code(426).header('upgrade', 'websocket').send('a WebSocket is needed\n'),
    wsHandler: (ws, request) => {
      lobby.leave(request.raw.socket);
      serve(options, slot.checks, ws, request);
    },
  });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  slot.checks = checksFor(options, port);
  const close = () => {
    lobby.close();
    return app.close();
  };
  return { port, close };
}

function createApp(options: RelayServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    ...NO_SCHEMAS,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    bodyLimit: 1024,
    ...listenerOptions(options),
  }) as unknown as FastifyInstance;
  app.setNotFoundHandler(async (_, reply) => reply.code(404).type('text/plain').send('not found\n'));
  app.server.maxConnections = options.maxSockets;
  return app;
}

function listenerOptions({ tls }: RelayServerOptions) {
  const http = { connectionsCheckingInterval: REQUEST_CHECK_MS };
  if (tls === undefined) return { http };
  return { https: { ...tls, ...http, minVersion: 'TLSv1.2' as const, handshakeTimeout: REQUEST_TIMEOUT_MS } };
}

function webSocketOptions({ maxLiveFrameBytes }: RelayServerOptions) {
  return {
    errorHandler: (_error: Error, socket: WebSocket) => endBroken.call(socket),
    preClose: (done: () => void) => done(),
    options: {
      maxPayload: maxLiveFrameBytes,
      perMessageDeflate: false,
      autoPong: false,
      clientTracking: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_BUFFERED_CHUNKS,
    },
  };
}

/** A broken frame: the library is closing the connection already, and its text is nothing we may log. */
function endBroken(this: WebSocket): void {
  if (this.readyState === this.OPEN) this.terminate();
}

/** A connection lives for days: the request it began with, its answer and its handlers are not kept so long. */
function forgetRequest(ws: WebSocket, request: FastifyRequest, { response, onClose }: Admitted): void {
  request.raw.socket.off('close', onClose);
  ws.removeAllListeners('error');
  ws.on('error', endBroken);
  response.detachSocket(request.raw.socket);
}

function checksFor(options: RelayServerOptions, port: number): UpgradeChecks {
  const { publicHosts, loopback, tls } = options;
  return new UpgradeChecks({
    relay: options.relay,
    events: options.events,
    authorities: new Authorities({ publicHosts, loopback, port, secure: tls !== undefined }),
    allowedOrigins: options.allowedOrigins,
  });
}

function serve(
  { relay }: RelayServerOptions,
  checks: UpgradeChecks | undefined,
  ws: WebSocket,
  request: FastifyRequest,
): void {
  const admitted = checks?.admitted(request);
  if (admitted === undefined) {
    ws.terminate();
    return;
  }
  const { ticket, authority } = admitted;
  forgetRequest(ws, request, admitted);
  report(
    ws,
    request.raw.socket,
    relay.accept({ socket: new WsSocket(ws, request.raw.socket), ticket, authority: authority.name }),
  );
}
