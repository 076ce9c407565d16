/** The operator's listener, on loopback unless configured otherwise: `/readyz` (01 §1). Must not know peers. */
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';

export interface Readiness {
  readonly ready: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

export interface OpsServerOptions {
  readonly host: string;
  readonly port: number;
  readiness(): Promise<Readiness>;
}

/** @throws the listener's error. */
export async function listenOps(
  options: OpsServerOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.get('/readyz', async (_, reply) => {
    const { ready, details } = await options.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, ...details });
  });
  await app.listen({ host: options.host, port: options.port });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}
