/** Every setting of the relay; the schema of the configuration is derived from it. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { LIMIT_SETTINGS } from './limit-settings.js';
import { PUSH_SETTINGS } from './push-settings.js';
import { flag, list, type Setting, text } from './setting.js';

const MAX_PORT = 65_535;

const port = z
  .int('must be a port number')
  .min(0, 'must be 0 or more')
  .max(MAX_PORT, 'must be 65535 or less');
const hostName = z.string('must be a text').trim().min(1, 'must not be empty').max(253, 'is too long');
const path = z.string('must be a path').min(1, 'must not be empty');
const publicHost = hostName.regex(
  /^(wss?:\/\/)?[^\s/@?#]+\/?$/,
  'must look like relay.example or relay.example:8443',
);
const origin = z
  .string('must be a text')
  .toLowerCase()
  .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/@?#]+$/, 'must look like https://app.example, without a path');
const agentKey = z
  .string('must be a text')
  .toLowerCase()
  .regex(/^[0-9a-f]{64}$/, 'must be the 64 hex characters of an Ed25519 key');
const proxy = z
  .string('must be a text')
  .trim()
  .refine(isAddressOrRange, 'must be an IP address or a range such as 10.0.0.0/8');
const invite = z
  .string('must be a text')
  .trim()
  .min(16, 'must have 16 characters or more')
  .max(128, 'is too long');

export const MEMORY = 'memory';

export const SETTINGS = {
  host: text(hostName.default('127.0.0.1'), 'address to listen on'),
  port: { ...text(port.default(8787), 'port to listen on; 0 takes any free one'), kind: 'number' },
  opsHost: text(hostName.default('127.0.0.1'), 'address of /readyz and /metrics'),
  opsPort: {
    ...text(
      z.union([port, z.literal('off')], 'must be a port number or off').default(0),
      'port of /readyz and /metrics; off: none',
    ),
    kind: 'number',
  },
  allowPublicOps: flag(
    false,
    'let opsHost be no loopback address; say so when only your monitoring reaches it',
  ),
  store: text(path.default(MEMORY), 'the data file, or memory: everything is lost when the relay stops'),
  tlsCert: text(path.optional(), 'file with the certificate chain (PEM); without it the relay speaks ws://'),
  tlsKey: text(path.optional(), 'file with its private key (PEM)'),
  allowInsecure: flag(false, 'speak ws:// beyond loopback; say so when a proxy in front ends TLS'),
  publicHosts: list(publicHost, 'names under which peers dial this relay; needed beyond loopback'),
  allowedOrigins: list(origin, 'web origins that may connect besides the own one, such as a dev server'),
  trustedProxies: list(proxy, 'addresses or ranges of proxies whose X-Forwarded-For is believed'),
  registration: text(
    z.enum(['invite', 'allowlist', 'open'], 'must be invite, allowlist or open').optional(),
    'who may register an agent; default invite, on loopback open',
  ),
  invite: { ...text(invite.optional(), 'the invite code; without it one is made and kept'), secret: true },
  allowedAgents: list(agentKey, 'Ed25519 keys of agents, for registration allowlist'),
  serveApp: {
    ...text(
      z.boolean('must be true or false').optional(),
      'serve the web app under /app/; default true where only this machine reaches the relay, else false',
    ),
    kind: 'flag',
  },
  logLevel: text(
    z
      .enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug')
      .default('info'),
    'what is logged',
  ),
  logFormat: text(
    z.enum(['auto', 'json', 'pretty'], 'must be auto, json or pretty').default('auto'),
    'json, or pretty for people; auto: pretty when the log goes to a terminal',
  ),
  ...PUSH_SETTINGS,
  ...LIMIT_SETTINGS,
} as const satisfies Readonly<Record<string, Setting>>;

type Schemas = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['schema'] };

const schemas = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.schema]),
) as Schemas;

/** Strict: an unknown setting is an error. */
export const CONFIG_SCHEMA = z.strictObject(schemas);

/** What an operator or an embedding program may give: everything is optional. */
export type RelayConfigInput = z.input<typeof CONFIG_SCHEMA>;
export type ParsedConfig = z.output<typeof CONFIG_SCHEMA>;

function isAddressOrRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
