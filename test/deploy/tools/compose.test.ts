/** The compose file's parts that can be tried without an engine: its Caddyfile, and its relay's settings. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../server/src/config/index.js';
import { root } from '../../house/source-graph.js';
import { runTool } from './run-tool.js';

it.each(['deploy/compose/Caddyfile', 'deploy/proxies/caddy/Caddyfile'])('Caddy takes %s', async (file) => {
  const home = mkdtempSync(join(tmpdir(), 'cs-caddy-'));
  const env = { HOME: home, RELAY_HOST: 'relay.example.org' };
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(root, file)];
  const { exitCode, output } = await runTool('caddy', args, { env });
  rmSync(home, { recursive: true });
  expect(output).toContain('Valid configuration');
  expect(exitCode).toBe(0);
});

it('the relay starts with the settings of image and compose file: TLS by the proxy, believed, invite only', () => {
  const compose = readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8');
  const image = readFileSync(join(root, 'deploy/container/Containerfile'), 'utf8');
  const pairs = [
    ...image.matchAll(/(COUNTERSIGN_RELAY_\w+)=(\S+)/g),
    ...compose.matchAll(/^ +(COUNTERSIGN_RELAY_\w+): (.+)$/gm),
  ].map(([, name = '', value = '']) => [
    name,
    value.replaceAll(/['"]/g, '').replace(/\$\{RELAY_HOST.*\}/, 'relay.example.org'),
  ]);
  const { config, unknownVariables } = loadConfig({ env: Object.fromEntries(pairs) });
  expect(unknownVariables).toEqual([]);
  expect(config).toMatchObject({
    host: '0.0.0.0',
    store: '/data/relay.sqlite',
    publicHosts: ['relay.example.org'],
    registration: 'invite',
    isPrivate: false,
    opsHost: '127.0.0.1',
  });
  // The proxy's network, which is what is believed.
  expect(compose).toContain(`- subnet: ${config.trustedProxies[0]}`);
});
