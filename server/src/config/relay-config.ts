/** The settings as the relay uses them: parsed, checked against each other, derived. Pure. */
import { authorityOf } from '@countersign/protocol/auth';
import type { z } from 'zod';
import { configError } from './config-error.js';
import { CONFIG_SCHEMA, type ParsedConfig, type RelayConfigInput } from './settings.js';

export interface RelayConfig extends ParsedConfig {
  readonly registration: 'invite' | 'allowlist' | 'open';
  readonly serveApp: boolean;
  /** Bound to this machine only. */
  readonly loopback: boolean;
  /** Loopback, and nothing says that a proxy carries others here. */
  readonly isPrivate: boolean;
}

const LOOPBACK_HOST = /^(localhost|::1|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/** @throws CountersignError `invalid_request`, `details.setting` naming the setting. */
export function parseConfig(input: RelayConfigInput): RelayConfig {
  const parsed = CONFIG_SCHEMA.safeParse(input);
  if (!parsed.success) throw problemOf(parsed.error);
  const config = parsed.data;
  const loopback = LOOPBACK_HOST.test(config.host);
  checkTls(config, loopback);
  checkOps(config);
  checkLimits(config);
  const isPrivate = loopback && config.publicHosts.length === 0 && config.trustedProxies.length === 0;
  const registration = config.registration ?? (loopback ? 'open' : 'invite');
  return {
    ...config,
    registration,
    loopback,
    isPrivate,
    serveApp: config.serveApp ?? isPrivate,
    publicHosts: config.publicHosts.map(authorityOfName),
  };
}

function problemOf(error: z.ZodError) {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys')
    return configError(issue.keys[0] ?? '?', 'is no setting of the relay');
  return configError(String(issue?.path[0] ?? 'configuration'), issue?.message ?? 'is not valid');
}

function checkTls(config: ParsedConfig, loopback: boolean): void {
  const { tlsCert, tlsKey, allowInsecure, publicHosts } = config;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw configError(tlsCert === undefined ? 'tlsCert' : 'tlsKey', 'tlsCert and tlsKey belong together');
  }
  if (loopback) return;
  if (tlsCert === undefined && !allowInsecure) {
    throw configError(
      'allowInsecure',
      'beyond loopback the relay needs tlsCert and tlsKey, or allowInsecure when a proxy in front ends TLS',
    );
  }
  if (publicHosts.length === 0) {
    throw configError(
      'publicHosts',
      'beyond loopback it must name the host peers dial, such as relay.example',
    );
  }
}

/** What they tell is for the operator: how much the relay is used, and by how many. */
function checkOps({ opsHost, opsPort, allowPublicOps }: ParsedConfig): void {
  if (opsPort === 'off' || LOOPBACK_HOST.test(opsHost) || allowPublicOps) return;
  throw configError(
    'allowPublicOps',
    'beyond loopback anyone who reaches opsHost reads /metrics and /readyz; set it when only your monitoring does',
  );
}

function checkLimits({
  maxQueuedFrameBytes,
  maxLiveFrameBytes,
  pairingTtlSeconds,
  maxPairingTtlSeconds,
}: ParsedConfig) {
  if (maxLiveFrameBytes < maxQueuedFrameBytes) {
    throw configError('maxLiveFrameBytes', 'must not be less than maxQueuedFrameBytes');
  }
  if (pairingTtlSeconds > maxPairingTtlSeconds) {
    throw configError('pairingTtlSeconds', 'must not be more than maxPairingTtlSeconds');
  }
}

/** `host[:port]` as a peer's URL gives it; a bare name is taken as that of a wss:// relay. */
function authorityOfName(name: string): string {
  try {
    return authorityOf(name.includes('://') ? name : `wss://${name}`);
  } catch {
    throw configError('publicHosts', 'must look like relay.example or relay.example:8443');
  }
}
