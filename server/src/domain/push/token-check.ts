/**
 * A push token as a device brings it, judged before it is stored (04 §3): which provider it belongs to, whether its app is
 * configured, its shape, and, for an endpoint, where it leads. Must not know logins.
 */
import { PLATFORM } from '@countersign/protocol';
import type { Notifier, PushOutbox, PushProvider, PushToken, TokenProblem } from '../../ports/index.js';

export interface BroughtToken {
  readonly platform: number;
  readonly deviceToken: string;
  readonly app?: string | undefined;
}

export interface TokenCheckOptions {
  readonly store: PushOutbox;
  readonly notifiers: readonly Notifier[];
  readonly apps: readonly string[];
  /** The present Web Push key: subscriptions that come now were made under it. */
  readonly vapidPublicKey?: string | undefined;
}

export class TokenCheck {
  readonly #options: TokenCheckOptions;

  constructor(options: TokenCheckOptions) {
    this.#options = options;
  }

  /** Asks no provider about a token that is stored already. */
  async judge(namespaceId: Uint8Array, device: Uint8Array, brought: BroughtToken): Promise<PushToken> {
    const { deviceToken, app } = brought;
    if (deviceToken === '') return { deviceToken };
    const provider = providerOf(brought);
    const problem = this.#problemOf(provider, app);
    if (problem !== undefined) return ignored(problem);
    const { store, notifiers, vapidPublicKey } = this.#options;
    const known = await store.pushRegistration(namespaceId, device);
    const vapid = provider === 'webpush' ? { vapidPublicKey } : {};
    const token: PushToken = { deviceToken, app, provider, ...vapid };
    if (known?.deviceToken === deviceToken && known.app === app && known.provider === provider) return token;
    const notifier = notifiers.find((each) => each.provider === provider);
    const verdict = await notifier?.checkToken({ token: deviceToken, app });
    return verdict === 'ok' ? token : ignored(verdict ?? 'no_provider');
  }

  #problemOf(provider: PushProvider, app: string | undefined): TokenProblem | undefined {
    const { apps, notifiers } = this.#options;
    if (app !== undefined && !apps.includes(app)) return 'unknown_app';
    return notifiers.some((each) => each.provider === provider) ? undefined : 'no_provider';
  }
}

/** A subscription on Android is of a UnifiedPush distributor. */
function providerOf({ platform, deviceToken }: BroughtToken): PushProvider {
  if (platform === PLATFORM.ios) return 'apns';
  if (platform === PLATFORM.web) return 'webpush';
  return deviceToken.startsWith('{') ? 'webpush' : 'fcm';
}

function ignored(tokenProblem: TokenProblem): PushToken {
  return { deviceToken: '', tokenProblem };
}
