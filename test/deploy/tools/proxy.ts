/** A reverse proxy from Debian's packages, run with the configuration we give away. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../../house/source-graph.js';
import type { Certificates } from './certificates.js';
import { toolPath } from './run-tool.js';

export interface ProxyOptions {
  readonly dir: string;
  readonly port: number;
  readonly relayPort: number;
  readonly certificates: Certificates;
}

export interface RunningProxy {
  stop(): Promise<void>;
}

const BETWEEN_ATTEMPTS_MS = 20;
const START_TIMEOUT_MS = 30_000;

/** One that was free a moment ago: neither proxy can be told to take any, and say which it took. */
export async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  holder.close();
  await once(holder, 'close');
  return port;
}

/** The text with each piece replaced; a piece that is not there means that this test is out of date. */
export function replaced(text: string, pieces: Readonly<Record<string, string>>): string {
  return Object.entries(pieces).reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the configuration has no "${from}"`);
    return done.replaceAll(from, to);
  }, text);
}

export async function startNginx({
  dir,
  port,
  relayPort,
  certificates,
}: ProxyOptions): Promise<RunningProxy> {
  const site = readFileSync(join(root, 'deploy/proxies/nginx/countersign-relay.conf'), 'utf8');
  const ours = replaced(site, {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    'relay.example.org;': 'localhost;',
    '/etc/ssl/relay.example.org/fullchain.pem': certificates.chain,
    '/etc/ssl/relay.example.org/key.pem': certificates.key,
    '127.0.0.1:8787': `127.0.0.1:${relayPort}`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const frame = [
    'daemon off; error_log stderr; worker_processes 1;',
    `pid ${dir}/nginx.pid;`,
    'events { worker_connections 256; }',
    `http { ${temporary.map((name) => `${name}_temp_path ${dir}/tmp-${name};`).join(' ')} include ${dir}/site.conf; }`,
  ];
  writeFileSync(join(dir, 'site.conf'), ours);
  writeFileSync(join(dir, 'nginx.conf'), frame.join('\n'));
  return running(spawnProxy('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'], dir), port);
}

export async function startCaddy({
  dir,
  port,
  relayPort,
  certificates,
}: ProxyOptions): Promise<RunningProxy> {
  const site = readFileSync(join(root, 'deploy/proxies/caddy/Caddyfile'), 'utf8');
  const ours = replaced(site, {
    'relay.example.org {': `localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificates.chain} ${certificates.key}`,
    '127.0.0.1:8787': `127.0.0.1:${relayPort}`,
  });
  mkdirSync(join(dir, 'home'), { recursive: true });
  writeFileSync(join(dir, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${ours}`);
  return running(
    spawnProxy('caddy', ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')], dir),
    port,
  );
}

function spawnProxy(command: string, args: readonly string[], dir: string): ChildProcess {
  return spawn(toolPath(command), args, {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: join(dir, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Resolves once it takes connections. */
async function running(child: ChildProcess, port: number): Promise<RunningProxy> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`it does not run:\n${said}`);
    await wait(BETWEEN_ATTEMPTS_MS);
  }
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const taken = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return taken;
}
