/**
 * The operator's listener, on loopback unless configured otherwise: `/readyz` and `/metrics` (01 §1). Must not know
 * peers or what is measured.
 */
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { NO_SCHEMAS } from './no-schemas.js';

export interface Readiness {
  readonly ready: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

export interface OpsServerOptions {
  readonly host: string;
  readonly port: number;
  readiness(): Promise<Readiness>;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Whoever asks here is a monitor or two; more connections than these are a mistake. */
export const MAX_OPS_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;
const BODY_LIMIT_BYTES = 1024;

/** @throws the listener's error. */
export async function listenOps(
  options: OpsServerOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const app = fastify({
    logger: false,
    ...NO_SCHEMAS,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    bodyLimit: BODY_LIMIT_BYTES,
  });
  app.server.maxConnections = MAX_OPS_CONNECTIONS;
  app.setNotFoundHandler(async (_, reply) => reply.code(404).type('text/plain').send('not found\n'));
  // An error may hold anything; that there was one is enough.
  app.setErrorHandler(async (_error, _, reply) => reply.code(500).type('text/plain').send('failed\n'));
  app.get('/readyz', async (_, reply) => {
    const { ready, details } = await options.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, ...details });
  });
  app.get('/metrics', async (_, reply) => {
    const { contentType, body } = await options.metrics();
    return reply.header('content-type', contentType).header('cache-control', 'no-store').send(body);
  });
  await app.listen({ host: options.host, port: options.port });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}
