/**
 * `GET /v1/push`: what a client must know to register for pushes (04 §3). Readable by listed web origins; never cached, for a
 * new key means a new subscription. Must not know how pushes are sent.
 */
import type { FastifyInstance } from 'fastify';

export interface PushInfo {
  /** base64url; undefined: no Web Push. */
  readonly vapidPublicKey?: string | undefined;
  /** Ids of the configured apps. */
  readonly apps: readonly string[];
}

const PATH = '/v1/push';

export function servePushInfo(app: FastifyInstance, info: PushInfo, allowedOrigins: readonly string[]): void {
  const { vapidPublicKey, apps } = info;
  const web = vapidPublicKey === undefined ? null : { vapid_public_key: vapidPublicKey };
  const body = { v: 1, web, apps };
  app.get(PATH, async (request, reply) => {
    const origin = request.headers.origin?.toLowerCase();
    if (origin !== undefined && allowedOrigins.includes(origin)) {
      reply.header('access-control-allow-origin', origin);
    }
    return reply.header('vary', 'origin').header('cache-control', 'no-cache').send(body);
  });
}
