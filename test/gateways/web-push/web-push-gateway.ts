/**
 * A Web Push service on loopback, over HTTP/2 and HTTP/1.1, at one or several origins, together with the browsers behind
 * it: it decrypts what they would. Rules live in the files beside it; this one joins them with subscriptions and steps.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { GatewayContext } from '../kit/context.js';
import type { Exchange } from '../kit/exchange.js';
import { Ledger } from '../kit/ledger.js';
import { Listener } from '../kit/listener.js';
import { respond, speaks } from '../kit/respond.js';
import { Script, type Step } from '../kit/script.js';
import { retryAfterHeader } from '../kit/shapes.js';
import { type Answer, Traffic } from '../kit/traffic.js';
import { makeReceiverKeys, openMessage, type ReceiverKeys } from './message-encryption.js';
import { refuse, type WebPushRefusal } from './refusal.js';
import { checkHeaders, type WebPushProfile } from './request-rules.js';
import { checkVapid } from './vapid.js';

export interface WebPushStep extends Step {
  /** `{"reason": …}` as the body, with `status`. */
  readonly reason?: string;
  /** Answers 307 (or `status`) with this Location. */
  readonly redirect?: string;
}

export interface WebPushDelivery {
  readonly endpoint: string;
  readonly ttl: number;
  readonly urgency: string;
  readonly topic: string | undefined;
  /** base64url of the sender's VAPID key. */
  readonly vapidKey: string;
  /** Decrypted; undefined for a push without body. */
  readonly plaintext: Buffer | undefined;
  /** Of the body on the wire. */
  readonly bytes: number;
}

/** What a page hands to its server. */
export interface Subscription {
  readonly endpoint: string;
  /** base64url, uncompressed point. */
  readonly p256dh: string;
  /** base64url, 16 bytes. */
  readonly auth: string;
}

export interface OriginOptions {
  /** Name in the endpoint; resolve it to 127.0.0.1 where it is not `localhost`. See `CERTIFIED_NAMES`. */
  readonly host?: string;
  readonly profile?: WebPushProfile;
}

export interface WebPushOptions {
  /** One origin (a port of its own) each; one at `localhost` when left out. */
  readonly origins?: readonly OriginOptions[];
}

export interface SubscribeOptions {
  /** Which origin, by its place in the options. */
  readonly origin?: number;
  /** base64url of the applicationServerKey: pushes under another key are refused. */
  readonly vapidPublicKey?: string;
}

interface Browser {
  readonly keys: ReceiverKeys;
  readonly boundKey: string | undefined;
  gone: boolean;
}

export class WebPushOrigin {
  readonly listener: Listener;
  readonly host: string;
  readonly profile: WebPushProfile;

  constructor(listener: Listener, { host = 'localhost', profile = 'standard' }: OriginOptions) {
    this.listener = listener;
    this.host = host;
    this.profile = profile;
  }

  /** As in an endpoint and in VAPID's `aud`. */
  get origin(): string {
    return `https://${this.host}:${this.listener.port}`;
  }
}

export class WebPushGateway {
  /** Steps per endpoint or for whichever comes next. */
  readonly script = new Script<WebPushStep>();
  readonly traffic: Traffic;
  readonly delivered: Ledger<WebPushDelivery>;
  readonly origins: WebPushOrigin[] = [];
  readonly #context: GatewayContext;
  readonly #browsers = new Map<string, Browser>();

  private constructor(context: GatewayContext) {
    this.#context = context;
    this.traffic = new Traffic(context.keeps);
    this.delivered = new Ledger(context.keeps);
  }

  static async start(context: GatewayContext, options: WebPushOptions = {}): Promise<WebPushGateway> {
    const gateway = new WebPushGateway(context);
    for (const origin of options.origins ?? [{}]) await gateway.addOrigin(origin);
    return gateway;
  }

  /** A further origin on a port of its own. */
  async addOrigin(options: OriginOptions = {}): Promise<WebPushOrigin> {
    const number = this.origins.length;
    const listener = await Listener.start({
      ...this.#context,
      name: `web-push-${number}`,
      traffic: this.traffic,
      http1: true,
      serve: (exchange) => this.#serve(exchange, this.#origin(number)),
    });
    const origin = new WebPushOrigin(listener, options);
    this.origins.push(origin);
    return origin;
  }

  /** A new browser that allowed notifications. Its private key stays here. */
  subscribe({ origin = 0, vapidPublicKey }: SubscribeOptions = {}): Subscription {
    const endpoint = `${this.#origin(origin).origin}/push/${randomBytes(32).toString('base64url')}`;
    const keys = makeReceiverKeys();
    this.#browsers.set(endpoint, { keys, boundKey: vapidPublicKey, gone: false });
    return {
      endpoint,
      p256dh: keys.publicKey.toString('base64url'),
      auth: keys.auth.toString('base64url'),
    };
  }

  /** 410 from now on. */
  unsubscribe(endpoint: string): void {
    const browser = this.#browsers.get(endpoint);
    if (browser !== undefined) browser.gone = true;
  }

  /** What a browser that was off the whole time gets: of deliveries with equal Topic the newest alone (RFC 8030 §5.4). */
  stored(endpoint: string): WebPushDelivery[] {
    const own = this.delivered.items.filter((each) => each.endpoint === endpoint);
    return [...new Map(own.map((each) => [each.topic ?? each, each])).values()];
  }

  async close(): Promise<void> {
    await Promise.all(this.origins.map(({ listener }) => listener.close()));
  }

  #origin(number: number): WebPushOrigin {
    const origin = this.origins[number];
    if (origin === undefined) throw new RangeError(`no origin ${number}`);
    return origin;
  }

  async #serve(exchange: Exchange, origin: WebPushOrigin): Promise<void> {
    const endpoint = `${origin.origin}${exchange.record.path}`;
    const step = this.script.take(endpoint);
    await respond(exchange, step, {
      scripted: step && scripted(step),
      behave: () => this.#judge(exchange, origin, endpoint),
      deliver: () => {
        const browser = this.#browsers.get(endpoint);
        const opened = browser && openMessage(exchange.record.body, browser.keys);
        this.#deliver(
          exchange,
          endpoint,
          opened !== undefined && 'plaintext' in opened ? opened.plaintext : undefined,
        );
      },
    });
  }

  #judge(exchange: Exchange, origin: WebPushOrigin, endpoint: string): Answer {
    const judged = this.#check(exchange, origin, endpoint);
    if ('reason' in judged) {
      exchange.record.refusal = judged.why;
      return reasoned(judged.status, judged.reason);
    }
    this.#deliver(exchange, endpoint, judged.plaintext);
    const location = `${origin.origin}/message/${randomUUID()}`;
    return { status: 201, headers: { location, ttl: exchange.header('ttl') ?? '0' }, body: '' };
  }

  #check(
    exchange: Exchange,
    origin: WebPushOrigin,
    endpoint: string,
  ): WebPushRefusal | { plaintext: Buffer | undefined } {
    const { method, body } = exchange.record;
    const browser = this.#browsers.get(endpoint);
    if (browser === undefined) return refuse(404, 'NotFound', 'no such subscription');
    const now = Math.floor(this.#context.now() / 1_000);
    const vapid = { origin: origin.origin, now, boundKey: browser.boundKey };
    const refusal =
      checkHeaders(method, body, origin.profile, (name) => exchange.header(name)) ??
      checkVapid(exchange.header('authorization'), vapid);
    if (refusal !== undefined) return refusal;
    if (browser.gone) return refuse(410, 'Unsubscribed', 'the person withdrew the permission');
    if (body.length === 0) return { plaintext: undefined };
    const opened = openMessage(body, browser.keys);
    return 'fault' in opened ? refuse(400, 'Undecryptable', opened.fault) : opened;
  }

  #deliver(exchange: Exchange, endpoint: string, plaintext: Buffer | undefined): void {
    this.delivered.add({
      endpoint,
      ttl: Number(exchange.header('ttl')),
      urgency: exchange.header('urgency') ?? 'normal',
      topic: exchange.header('topic'),
      vapidKey: /\bk=([\w-]+)/.exec(exchange.header('authorization') ?? '')?.[1] ?? '',
      plaintext,
      bytes: exchange.record.body.length,
    });
  }
}

function scripted(step: WebPushStep): Answer | undefined {
  const { reason, redirect, wire } = step;
  const extra = {
    ...retryAfterHeader(step.retryAfter),
    ...(redirect !== undefined && { location: redirect }),
    ...step.headers,
  };
  if (redirect !== undefined) return { status: step.status ?? 307, headers: extra, body: step.body ?? '' };
  if (wire !== undefined || (reason === undefined && !speaks(step))) return undefined;
  const { headers, body } = reason === undefined ? { headers: {}, body: '' } : reasoned(400, reason);
  return { status: step.status ?? 503, headers: { ...headers, ...extra }, body: step.body ?? body };
}

function reasoned(status: number, reason: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason }),
  };
}
