/**
 * Pushes to browsers and to UnifiedPush apps: RFC 8030 with RFC 8291 and 8292. The endpoint is a URL from a stranger
 * and so is whatever it answers. Must not know queues or retries.
 */
import type { LookupAddress } from 'node:dns';
import { Agent } from 'node:https';
import webPush from 'web-push';
import type {
  Cancel,
  Clock,
  Notifier,
  Push,
  PushOutcome,
  PushTarget,
  TokenVerdict,
} from '../../../ports/index.js';
import { boundedPost, collapseIdOf, Proven, Sending } from '../common/index.js';
import { isGlobalUnicast } from './addresses.js';
import { areSafe, guardedLookup, type Resolve, systemResolve } from './guarded-lookup.js';
import { judge } from './outcomes.js';
import { webPushPlainText } from './payload.js';
import { isAllowedEndpoint, parseSubscription, type Subscription } from './subscription.js';
import { VapidHeaders, type VapidKeys } from './vapid.js';

export const WEB_PUSH_MAX_IN_FLIGHT = 64;
export const WEB_PUSH_MAX_PER_ORIGIN = 4;
/** From lookup to the last byte of the answer. */
export const WEB_PUSH_DEADLINE_MS = 5_000;
export const MAX_WEB_PUSH_ANSWER_BYTES = 4_096;
/** Four weeks; services keep a message for less. */
const MAX_TTL_SECONDS = 2_419_200;

export interface WebPushOptions {
  /** The first signs for new subscriptions; older ones for those that were made under them. Not empty. */
  readonly keys: readonly VapidKeys[];
  /** `mailto:` or `https:`. */
  readonly subject: string;
  /** Origins besides those of the browsers; `*` is any on port 443. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  /** For tests: other names, addresses and authorities than those of the world. */
  readonly network?: WebPushNetwork | undefined;
}

export interface WebPushNetwork {
  readonly resolve?: Resolve | undefined;
  readonly isSafe?: ((address: string) => boolean) | undefined;
  readonly ca?: string | undefined;
  readonly maxPerOrigin?: number | undefined;
}

export class WebPushNotifier implements Notifier {
  readonly provider = 'webpush';
  readonly maxInFlight = WEB_PUSH_MAX_IN_FLIGHT;
  readonly maxPerGroup: number;
  readonly #options: WebPushOptions;
  readonly #guard: { readonly resolve: Resolve; readonly isSafe: (address: string) => boolean };
  readonly #agent: Agent;
  readonly #vapid: VapidHeaders;
  readonly #proven: Proven;
  readonly #sending: Sending;

  constructor(options: WebPushOptions) {
    const { clock, subject, network = {} } = options;
    this.#options = options;
    this.maxPerGroup = network.maxPerOrigin ?? WEB_PUSH_MAX_PER_ORIGIN;
    this.#guard = { resolve: network.resolve ?? systemResolve, isSafe: network.isSafe ?? isGlobalUnicast };
    this.#agent = new Agent({
      keepAlive: true,
      lookup: guardedLookup(this.#guard),
      ...(network.ca !== undefined && { ca: network.ca }),
    });
    this.#vapid = new VapidHeaders(subject, clock);
    this.#proven = new Proven(clock);
    this.#sending = new Sending({
      clock,
      maxInFlight: WEB_PUSH_MAX_IN_FLIGHT,
      maxPerGroup: this.maxPerGroup,
      deadlineMs: WEB_PUSH_DEADLINE_MS,
    });
  }

  groupOf({ token }: PushTarget): string {
    return `webpush:${parseSubscription(token)?.endpoint.origin ?? 'none'}`;
  }

  /** A name that cannot be resolved now is no reason to refuse: it is judged again at each connection. */
  async checkToken({ token }: PushTarget): Promise<TokenVerdict> {
    const subscription = parseSubscription(token);
    if (subscription === undefined) return 'malformed';
    const { endpoint } = subscription;
    if (!this.#allows(endpoint)) return 'forbidden_endpoint';
    const addresses = await this.#resolveInTime(endpoint.hostname.replace(/^\[|\]$/g, ''));
    return addresses === undefined || areSafe(addresses, this.#guard.isSafe) ? 'ok' : 'forbidden_endpoint';
  }

  async send(push: Push): Promise<PushOutcome> {
    const subscription = parseSubscription(push.target.token);
    if (subscription === undefined) return { outcome: 'bad_request', reason: 'malformed_token' };
    if (!this.#allows(subscription.endpoint)) return { outcome: 'bad_request', reason: 'forbidden_endpoint' };
    const keys = this.#keysOf(push.target);
    if (keys === undefined) return { outcome: 'bad_request', reason: 'vapid_key_unknown' };
    const text = webPushPlainText(push);
    if (text === undefined) return { outcome: 'too_large' };
    return this.#sending.run(subscription.endpoint.origin, (signal) =>
      this.#try(subscription, keys, push, text, signal),
    );
  }

  async close(): Promise<void> {
    await this.#sending.close();
    this.#agent.destroy();
  }

  async #try(
    subscription: Subscription,
    keys: VapidKeys,
    push: Push,
    text: string,
    signal: AbortSignal,
  ): Promise<PushOutcome> {
    const { origin } = subscription.endpoint;
    const answer = await boundedPost({
      url: subscription.endpoint,
      agent: this.#agent,
      ...sealed(subscription, push, text, this.#vapid.header(origin, keys)),
      maxAnswerBytes: MAX_WEB_PUSH_ANSWER_BYTES,
      signal,
    });
    if (answer === 'unsafe') return { outcome: 'bad_request', reason: 'unsafe_address' };
    if (answer === 'unsent') return { outcome: 'retry', reason: 'not_sent' };
    if (answer === 'lost') return { outcome: 'unknown', reason: 'connection_lost' };
    const group = `${origin} ${keys.publicKey}`;
    const outcome = judge(answer, this.#options.clock.now(), this.#proven.has(group));
    if (outcome.outcome === 'accepted') this.#proven.accepted(group);
    return outcome;
  }

  async #resolveInTime(hostname: string): Promise<readonly LookupAddress[] | undefined> {
    let cancel: Cancel = () => undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#options.clock.after(WEB_PUSH_DEADLINE_MS, () => resolve(undefined));
    });
    const found = this.#guard.resolve(hostname).catch(() => undefined);
    return Promise.race([found, late]).finally(() => cancel());
  }

  #allows(endpoint: URL): boolean {
    return isAllowedEndpoint(endpoint, this.#options.origins, this.#guard.isSafe);
  }

  #keysOf({ vapidPublicKey }: PushTarget): VapidKeys | undefined {
    const { keys } = this.#options;
    return vapidPublicKey === undefined
      ? keys[0]
      : keys.find(({ publicKey }) => publicKey === vapidPublicKey);
  }
}

/** The library encrypts (RFC 8291) and writes the headers; it does not send. */
function sealed({ endpoint, p256dh, auth }: Subscription, push: Push, text: string, authorization: string) {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: endpoint.href, keys: { p256dh, auth } },
    text,
    {
      TTL: Math.min(Math.ceil(push.ttlMs / 1_000), MAX_TTL_SECONDS),
      urgency: push.intent === 'replace' ? 'normal' : 'high',
      topic: collapseIdOf(push),
      contentEncoding: 'aes128gcm',
      headers: { Authorization: authorization },
    },
  );
  return { headers: headers as Record<string, string | number>, body: body as Buffer };
}
