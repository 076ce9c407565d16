/**
 * APNs on loopback: two HTTP/2 listeners (production and sandbox) that refuse what Apple would refuse. Rules live in the
 * files beside it; this one joins them with devices and scripted steps.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerHttp2Session } from 'node:http2';
import type { GatewayContext } from '../kit/context.js';
import type { Exchange } from '../kit/exchange.js';
import { Ledger } from '../kit/ledger.js';
import { Listener } from '../kit/listener.js';
import { respond, speaks } from '../kit/respond.js';
import { Script, type Step } from '../kit/script.js';
import { parseObject, retryAfterHeader } from '../kit/shapes.js';
import { type Answer, Traffic } from '../kit/traffic.js';
import { ApnsConnection, type StreamLimits } from './apns-connection.js';
import { ApnsDevices } from './apns-devices.js';
import {
  type ApnsCredential,
  type ApnsEnvironment,
  appleId,
  makeCredential,
  ProviderTokenCheck,
} from './provider-token.js';
import { APNS_REASONS, type ApnsReason, type ApnsRefusal } from './reasons.js';
import { checkLine, checkRequest, tokenIn } from './request-rules.js';

export interface ApnsStep extends Step {
  /** Answers with this reason and its status. */
  readonly reason?: ApnsReason;
  /** Unix ms, with a 410. */
  readonly timestamp?: number;
  /**
   * Sends GOAWAY. `before`: this request and later streams are not processed. `after`: this one is answered as the rest of
   * the step says, those opened until then too. `reason` becomes Apple's JSON debug data.
   */
  readonly goaway?: { readonly when: 'before' | 'after'; readonly reason?: string };
}

/** A push APNs took for a device. */
export interface ApnsDelivery {
  readonly token: string;
  readonly environment: ApnsEnvironment;
  readonly topic: string;
  readonly pushType: string;
  readonly priority: number;
  /** Unix seconds; undefined when the sender left it to Apple. */
  readonly expiration: number | undefined;
  readonly collapseId: string | undefined;
  readonly apnsId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Of the payload on the wire. */
  readonly bytes: number;
}

export interface ApnsOptions {
  /** Bundle ids that the credential may push to. */
  readonly topics?: readonly string[];
  readonly streamLimits?: StreamLimits;
}

export const DEFAULT_TOPIC = 'test.countersign.app';
const DEFAULT_LIMITS: StreamLimits = { unproven: 1, proven: 1_000 };

export class ApnsGateway {
  readonly script = new Script<ApnsStep>();
  readonly traffic: Traffic;
  readonly delivered: Ledger<ApnsDelivery>;
  /** The key a relay signs with: key id, team id, and the text of the `.p8` file. */
  readonly credential: ApnsCredential;
  readonly devices: ApnsDevices;
  readonly #context: GatewayContext;
  readonly #limits: StreamLimits;
  readonly #credentials: ApnsCredential[];
  readonly #connections = new Map<ServerHttp2Session, ApnsConnection>();
  readonly #listeners = new Map<ApnsEnvironment, Listener>();

  private constructor(context: GatewayContext, { topics = [DEFAULT_TOPIC], streamLimits }: ApnsOptions) {
    this.#context = context;
    this.#limits = streamLimits ?? DEFAULT_LIMITS;
    this.traffic = new Traffic(context.keeps);
    this.delivered = new Ledger(context.keeps);
    this.devices = new ApnsDevices(topics);
    this.credential = makeCredential(appleId());
    this.#credentials = [this.credential];
  }

  static async start(context: GatewayContext, options: ApnsOptions = {}): Promise<ApnsGateway> {
    const gateway = new ApnsGateway(context, options);
    await Promise.all([gateway.#listen('production'), gateway.#listen('sandbox')]);
    return gateway;
  }

  get production(): Listener {
    return this.#listener('production');
  }

  get sandbox(): Listener {
    return this.#listener('sandbox');
  }

  /** A further key of the same team, for one environment where named. Connections opened from now on know it. */
  addCredential(environment?: ApnsEnvironment): ApnsCredential {
    const made = makeCredential(this.credential.teamId, environment);
    this.#credentials.push(made);
    return made;
  }

  /** A device of the app; `token` defaults to 32 random bytes, `topic` to the first. Returns the token. */
  registerDevice(device: { environment?: ApnsEnvironment; topic?: string; token?: string } = {}): string {
    const token = device.token ?? randomBytes(32).toString('hex');
    this.devices.register(token, device.environment ?? 'production', device.topic);
    return token;
  }

  /** The app was removed: 410 Unregistered from now on, with this time. */
  unregisterDevice(token: string, timestamp = this.#context.now()): void {
    this.devices.unregister(token, timestamp);
  }

  /** What the phone shows: of deliveries with equal collapse id the newest alone. */
  shown(token: string): ApnsDelivery[] {
    const own = this.delivered.items.filter((each) => each.token === token.toLowerCase());
    return [...new Map(own.map((each) => [each.collapseId ?? each, each])).values()];
  }

  /** GOAWAY on every open connection, after the requests taken so far. */
  goAway(reason?: string): void {
    for (const connection of this.#connections.values()) connection.goAway(reason);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listeners.values()].map((listener) => listener.close()));
  }

  async #listen(environment: ApnsEnvironment): Promise<void> {
    const listener = await Listener.start({
      name: `apns-${environment}`,
      ...this.#context,
      traffic: this.traffic,
      http1: false,
      firstStreamLimit: this.#limits.unproven,
      onSession: (session) => this.#connect(session, environment),
      serve: (exchange) => this.#serve(exchange, environment),
    });
    this.#listeners.set(environment, listener);
  }

  #listener(environment: ApnsEnvironment): Listener {
    const listener = this.#listeners.get(environment);
    if (listener === undefined) throw new Error('the gateway has not started');
    return listener;
  }

  #connect(session: ServerHttp2Session, environment: ApnsEnvironment): void {
    const tokens = new ProviderTokenCheck(environment, this.#credentials);
    this.#connections.set(session, new ApnsConnection(session, tokens, this.#limits));
    session.once('close', () => this.#connections.delete(session));
  }

  async #serve(exchange: Exchange, environment: ApnsEnvironment): Promise<void> {
    const connection = exchange.session && this.#connections.get(exchange.session);
    if (connection === undefined || !connection.begin(exchange)) return;
    const token = tokenIn(exchange.record.path);
    const step = this.script.take(token);
    if (step?.goaway?.when === 'before') {
      connection.goAway(step.goaway.reason, exchange.streamId - 2);
      return;
    }
    const answered = await respond(exchange, step, {
      scripted: step && scripted(step),
      behave: () => this.#judge(exchange, environment, connection),
      deliver: () => this.#deliver(exchange, environment),
    });
    if (answered !== undefined) connection.answered(answered.status === 200);
    if (step?.goaway !== undefined) connection.goAway(step.goaway.reason);
  }

  #judge(exchange: Exchange, environment: ApnsEnvironment, connection: ApnsConnection): Answer {
    const refusal = this.#refusal(exchange, environment, connection);
    if (refusal === undefined) {
      const apnsId = this.#deliver(exchange, environment);
      return { status: 200, headers: { 'apns-id': apnsId }, body: '' };
    }
    exchange.record.refusal = refusal.why;
    return refusalAnswer(refusal.reason, refusal.timestamp, exchange.header('apns-id'));
  }

  #refusal(
    exchange: Exchange,
    environment: ApnsEnvironment,
    connection: ApnsConnection,
  ): ApnsRefusal | undefined {
    const header = (name: string): string | undefined => exchange.header(name);
    const seconds = Math.floor(this.#context.now() / 1_000);
    return (
      checkLine(exchange.record) ??
      connection.tokens.check(header('authorization'), seconds) ??
      this.devices.checkTopic(header('apns-topic'), header('apns-push-type')) ??
      checkRequest(exchange.record, header) ??
      this.devices.checkDevice(tokenIn(exchange.record.path), header('apns-topic'), environment)
    );
  }

  #deliver(exchange: Exchange, environment: ApnsEnvironment): string {
    const header = (name: string): string | undefined => exchange.header(name);
    const expiration = header('apns-expiration');
    const apnsId = header('apns-id') ?? randomUUID();
    this.delivered.add({
      token: tokenIn(exchange.record.path) ?? '',
      environment,
      topic: header('apns-topic') ?? '',
      pushType: header('apns-push-type') ?? '',
      priority: Number(header('apns-priority') ?? 10),
      expiration: expiration === undefined ? undefined : Number(expiration),
      collapseId: header('apns-collapse-id'),
      apnsId,
      payload: parseObject(exchange.record.body) ?? {},
      bytes: exchange.record.body.length,
    });
    return apnsId;
  }
}

function scripted(step: ApnsStep): Answer | undefined {
  const extra = { ...retryAfterHeader(step.retryAfter), ...step.headers };
  if (step.reason !== undefined && step.wire === undefined) {
    const { status, headers, body } = refusalAnswer(step.reason, step.timestamp, undefined);
    return { status: step.status ?? status, headers: { ...headers, ...extra }, body: step.body ?? body };
  }
  if (!speaks(step)) return undefined;
  return { status: step.status ?? 503, headers: extra, body: step.body ?? '' };
}

function refusalAnswer(reason: ApnsReason, timestamp: number | undefined, id: string | undefined): Answer {
  return {
    status: APNS_REASONS[reason],
    headers: { 'apns-id': id ?? randomUUID(), 'content-type': 'application/json' },
    body: JSON.stringify({ reason, ...(timestamp !== undefined && { timestamp }) }),
  };
}
