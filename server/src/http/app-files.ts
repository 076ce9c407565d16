/**
 * Serves the web app under `/app/` to browsers: files that were built beforehand, with headers that let them run
 * nothing but themselves. Whoever serves these files could decide in a person's place, hence the setting `serveApp`
 * (02 §6). Must not know what the app does, nor frames.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Beside `src` and `dist`, so that both find it. */
const APP_FOLDER = fileURLToPath(new URL('../../app', import.meta.url));

export const APP_PATH = '/app/';

/**
 * Any relay may be paired with, and asked for its push key, so connections may go to any `wss:` and `https:`, and to relays
 * of this machine without TLS.
 * WebAssembly is what libsodium is made of. Every script sink of the page is closed (Trusted Types) but the address
 * of its service worker.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self' wss: https: ws://localhost:* ws://127.0.0.1:* http://localhost:* http://127.0.0.1:*",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types countersign',
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'camera=(self), publickey-credentials-get=(self), publickey-credentials-create=(self), microphone=(), geolocation=(), payment=(), usb=()',
} as const;

/** Their names change with their content. */
const HASHED = /[/\\]assets[/\\]/;

/** Registers the app's addresses, or one that says what is missing when the app was not built. */
export async function serveAppFiles(app: FastifyInstance, folder: string = APP_FOLDER): Promise<void> {
  for (const path of ['/', '/app']) app.get(path, async (_, reply) => reply.redirect(APP_PATH));
  if (!existsSync(folder)) {
    app.get(`${APP_PATH}*`, notBuilt);
    return;
  }
  await app.register(fastifyStatic, {
    root: folder,
    prefix: APP_PATH,
    decorateReply: false,
    dotfiles: 'ignore',
    cacheControl: false,
    preCompressed: true,
    setHeaders(reply, path) {
      for (const [name, value] of Object.entries(HEADERS)) reply.setHeader(name, value);
      const isHashed = HASHED.test(path.slice(folder.length));
      reply.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

async function notBuilt(_request: unknown, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(404).type('text/plain').send('the web app was not built: npm run build\n');
}
