/**
 * FCM HTTP v1 and Google's token endpoint on loopback, over HTTP/2 and HTTP/1.1. Rules live in the files beside it;
 * this one joins them with devices and scripted steps.
 */
import { randomInt } from 'node:crypto';
import type { GatewayContext } from '../kit/context.js';
import type { Exchange } from '../kit/exchange.js';
import { Ledger } from '../kit/ledger.js';
import { Listener } from '../kit/listener.js';
import { respond, speaks } from '../kit/respond.js';
import { Script, type Step } from '../kit/script.js';
import { retryAfterHeader } from '../kit/shapes.js';
import { type Answer, Traffic } from '../kit/traffic.js';
import {
  bareError,
  type FcmErrorCode,
  type FcmRefusal,
  fcmError,
  type GoogleStatus,
  HTML_502,
  jsonAnswer,
  refuseBare,
} from './errors.js';
import { FcmDevices } from './fcm-devices.js';
import { type FcmMessage, readMessage } from './message-rules.js';
import { OAuthEndpoint, type ServiceAccount } from './oauth.js';

export interface FcmStep extends Step {
  /** Answers with this FcmError and its status. */
  readonly error?: FcmErrorCode;
  /** Answers with this status of the API front end, without FcmError. */
  readonly bare?: GoogleStatus;
  /** The HTML page that Google's front end shows with 502. */
  readonly html502?: true;
  /** The text of the error. */
  readonly message?: string;
}

/** A message FCM took for a device. */
export interface FcmDelivery extends FcmMessage {
  readonly token: string;
  /** `projects/<id>/messages/<n>`. */
  readonly name: string;
}

export interface FcmOptions {
  readonly projectId?: string;
  /** Life of a bearer token in seconds by the gateway's clock; 3,600 as Google's. */
  readonly tokenLifeSeconds?: number;
}

export const DEFAULT_PROJECT = 'countersign-test';

export class FcmGateway {
  /** Steps for `messages:send`. */
  readonly script = new Script<FcmStep>();
  /** Steps for the token endpoint. */
  readonly oauthScript = new Script<Step>();
  readonly traffic: Traffic;
  readonly oauthTraffic: Traffic;
  readonly delivered: Ledger<FcmDelivery>;
  readonly #context: GatewayContext;
  readonly #endpoint: OAuthEndpoint;
  readonly #devices = new FcmDevices();
  #listener: Listener | undefined;
  #oauthListener: Listener | undefined;

  private constructor(context: GatewayContext, endpoint: OAuthEndpoint) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.traffic = new Traffic(context.keeps);
    this.oauthTraffic = new Traffic(context.keeps);
    this.delivered = new Ledger(context.keeps);
  }

  static async start(context: GatewayContext, options: FcmOptions = {}): Promise<FcmGateway> {
    const { projectId = DEFAULT_PROJECT, tokenLifeSeconds } = options;
    const endpoint = new OAuthEndpoint(projectId, tokenLifeSeconds);
    const gateway = new FcmGateway(context, endpoint);
    const common = { ...context, http1: true };
    [gateway.#listener, gateway.#oauthListener] = await Promise.all([
      Listener.start({
        ...common,
        name: 'fcm',
        traffic: gateway.traffic,
        serve: (exchange) => gateway.#serve(exchange),
      }),
      Listener.start({
        ...common,
        name: 'fcm-oauth',
        traffic: gateway.oauthTraffic,
        serve: (exchange) => gateway.#serveOAuth(exchange),
      }),
    ]);
    return gateway;
  }

  /** Stands for fcm.googleapis.com. */
  get api(): Listener {
    if (this.#listener === undefined) throw new Error('the gateway has not started');
    return this.#listener;
  }

  /** Stands for oauth2.googleapis.com and www.googleapis.com. */
  get oauth(): Listener {
    if (this.#oauthListener === undefined) throw new Error('the gateway has not started');
    return this.#oauthListener;
  }

  /** The file a relay is configured with, as an object. */
  get serviceAccount(): ServiceAccount {
    return this.#endpoint.account;
  }

  /** Bearer tokens given out so far. */
  get tokensIssued(): number {
    return this.#endpoint.issued;
  }

  /** Refuses every bearer token given out so far, before its time. */
  revokeTokens(): void {
    this.#endpoint.revokeAll();
  }

  /** A device of the app, or with `foreign` of another project. Returns its registration token. */
  registerDevice(device: { token?: string; foreign?: boolean } = {}): string {
    const token = device.token ?? FcmDevices.newToken();
    this.#devices.set(token, device.foreign === true ? 'foreign' : 'live');
    return token;
  }

  /** The app was removed: UNREGISTERED from now on. */
  unregisterDevice(token: string): void {
    this.#devices.set(token, 'unregistered');
  }

  async close(): Promise<void> {
    await Promise.all([this.api.close(), this.oauth.close()]);
  }

  async #serveOAuth(exchange: Exchange): Promise<void> {
    const step = this.oauthScript.take(undefined);
    await respond(exchange, step, {
      scripted: step && scripted(step),
      behave: () => this.#endpoint.serve(exchange, this.#seconds()),
      deliver: () => {},
    });
  }

  async #serve(exchange: Exchange): Promise<void> {
    const message = readMessage(exchange.record.body);
    const step = this.script.take('answer' in message ? undefined : message.token);
    await respond(exchange, step, {
      scripted: step && scripted(step),
      behave: () => this.#judge(exchange, message),
      deliver: () => {
        if (!('answer' in message)) this.#deliver(message);
      },
    });
  }

  #judge(exchange: Exchange, message: FcmMessage | FcmRefusal): Answer {
    const refusal = this.#checkCall(exchange) ?? ('answer' in message ? message : this.#checkDevice(message));
    if (refusal !== undefined) {
      exchange.record.refusal = refusal.why;
      return refusal.answer;
    }
    return jsonAnswer({ name: this.#deliver(message as FcmMessage) });
  }

  #checkCall(exchange: Exchange): FcmRefusal | undefined {
    const { method, path } = exchange.record;
    const [, project] = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(path) ?? [];
    if (project === undefined) return refuseBare('NOT_FOUND', 'no such path');
    if (method !== 'POST') return refuseBare('NOT_FOUND', 'only POST');
    if ((exchange.header(':scheme') ?? 'https') !== 'https') {
      return refuseBare('INVALID_ARGUMENT', ':scheme is not https');
    }
    if (!this.#endpoint.holds(exchange.header('authorization'), this.#seconds())) {
      return refuseBare('UNAUTHENTICATED', 'no valid bearer token');
    }
    if (project !== this.serviceAccount.project_id) return refuseBare('NOT_FOUND', 'no such project');
    if (!/^application\/json\b/i.test(exchange.header('content-type') ?? '')) {
      return refuseBare('INVALID_ARGUMENT', 'content type is not JSON');
    }
    return undefined;
  }

  #checkDevice({ token }: FcmMessage): FcmRefusal | undefined {
    return token === undefined ? undefined : this.#devices.check(token, this.#context.now());
  }

  #deliver(message: FcmMessage): string {
    const name = `projects/${this.serviceAccount.project_id}/messages/0:${randomInt(2 ** 47)}`;
    if (!message.validateOnly) this.delivered.add({ ...message, token: message.token ?? '', name });
    return name;
  }

  #seconds(): number {
    return Math.floor(this.#context.now() / 1_000);
  }
}

function scripted(step: FcmStep): Answer | undefined {
  const extra = { ...retryAfterHeader(step.retryAfter), ...step.headers };
  const base = step.wire === undefined ? worded(step) : undefined;
  if (base === undefined && !speaks(step)) return undefined;
  const { status, headers, body } = base ?? { status: 503, headers: {}, body: '' };
  return { status: step.status ?? status, headers: { ...headers, ...extra }, body: step.body ?? body };
}

function worded({ error, bare, html502, message = 'scripted' }: FcmStep): Answer | undefined {
  if (error !== undefined) return fcmError(error, message);
  if (bare !== undefined) return bareError(bare, message);
  return html502 === true ? HTML_502 : undefined;
}
