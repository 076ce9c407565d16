/** How the app's files leave the relay. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveAppFiles } from './app-files.js';

let folder: string;
let app: FastifyInstance;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-app-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'index-1a2b.js'), 'let a;');
  writeFileSync(join(folder, 'assets', 'index-1a2b.js.br'), 'compressed');
  writeFileSync(join(folder, '.built-from'), 'hash');
  app = fastify();
});

afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers });

describe('the app', () => {
  it('is a page that runs nothing but its own files, in no frame, and tells nobody where it was', async () => {
    await serveAppFiles(app, folder);
    const { statusCode, headers } = await get('/app/');
    expect(statusCode).toBe(200);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';");
    expect(policy).toContain(
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types countersign",
    );
    // A device may be paired through relays elsewhere; what it runs and shows comes from here alone.
    const exceptRelays = policy.replace(/connect-src [^;]*;/, '');
    expect(exceptRelays).not.toMatch(/'unsafe-inline'|'unsafe-eval'| https:| \*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
  });

  it('has files whose names change with them: those are kept for ever', async () => {
    await serveAppFiles(app, folder);
    const { headers, body } = await get('/app/assets/index-1a2b.js');
    expect([headers['cache-control'], body]).toEqual(['public, max-age=31536000, immutable', 'let a;']);
  });

  it('is sent compressed to who takes that', async () => {
    await serveAppFiles(app, folder);
    const { headers, body } = await get('/app/assets/index-1a2b.js', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], body]).toEqual(['br', 'compressed']);
    expect(headers['content-security-policy']).toBeDefined();
    expect(headers['cache-control']).toContain('immutable');
  });

  it.each([
    '/app/.built-from',
    '/app/nothing',
    '/app/../package.json',
    '/app/%2e%2e/package.json',
    '/app/..%2f..%2fetc',
  ])('is nothing else: %s', async (url) => {
    await serveAppFiles(app, folder);
    expect((await get(url)).statusCode).toBeGreaterThanOrEqual(400);
  });

  it('is where a person lands who opens the relay itself', async () => {
    await serveAppFiles(app, folder);
    for (const url of ['/', '/app']) {
      const { statusCode, headers } = await get(url);
      expect([statusCode, headers.location]).toEqual([
        expect.toSatisfy((code) => code >= 301 && code <= 302),
        '/app/',
      ]);
    }
  });

  it('that was not built says how to', async () => {
    await serveAppFiles(app, join(folder, 'missing'));
    const { statusCode, body } = await get('/app/');
    expect([statusCode, body]).toEqual([404, 'the web app was not built: npm run build\n']);
  });
});
