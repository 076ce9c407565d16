/** Starts and ends one set of gateways with one authority and one clock. Must not know any provider's rules. */
import type { Agent } from 'node:https';
import { ApnsGateway, type ApnsOptions } from './apns/apns-gateway.js';
import { FcmGateway, type FcmOptions } from './fcm/fcm-gateway.js';
import { type Authority, createAuthority } from './kit/authority.js';
import { LoopbackAgent } from './kit/loopback-agent.js';
import { WebPushGateway, type WebPushOptions } from './web-push/web-push-gateway.js';

export interface GatewayOptions {
  /** Unix ms: the clock of every rule about time. The system's when left out. */
  readonly now?: () => number;
  /** `counts` keeps no request and no delivery, for load runs. */
  readonly keep?: 'everything' | 'counts';
  readonly apns?: ApnsOptions;
  readonly fcm?: FcmOptions;
  readonly webPush?: WebPushOptions;
}

export interface Gateways {
  /** PEM of the certificate a sender has to trust. */
  readonly ca: string;
  readonly apns: ApnsGateway;
  readonly fcm: FcmGateway;
  readonly webPush: WebPushGateway;
  /** A fresh agent that takes Google's names to the FCM gateway and trusts `ca`. Destroy it when done. */
  agent(): Agent;
  /** Ends all three at once, whatever is in flight. */
  close(): Promise<void>;
}

/** One for all sets of this process: its RSA key is most of the time that starting takes. */
let shared: Promise<Authority> | undefined;

/** All three, on ports the system chose. Rejects where 127.0.0.1 does not let it listen. */
export async function startGateways(options: GatewayOptions = {}): Promise<Gateways> {
  shared ??= createAuthority();
  const authority = await shared;
  const { now = Date.now, keep = 'everything' } = options;
  const context = { authority, now, keeps: keep === 'everything' };
  const [apns, fcm, webPush] = await Promise.all([
    ApnsGateway.start(context, options.apns),
    FcmGateway.start(context, options.fcm),
    WebPushGateway.start(context, options.webPush),
  ]);
  return {
    ca: authority.ca,
    apns,
    fcm,
    webPush,
    agent: () =>
      new LoopbackAgent(authority.ca, {
        'fcm.googleapis.com': fcm.api.port,
        'oauth2.googleapis.com': fcm.oauth.port,
        'www.googleapis.com': fcm.oauth.port,
      }),
    close: async () => {
      await Promise.all([apns.close(), fcm.close(), webPush.close()]);
    },
  };
}
