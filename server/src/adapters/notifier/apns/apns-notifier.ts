/**
 * Pushes to Apple's devices: which key, host and topic a push goes to, and what follows from the answer. Must not know
 * queues or retries.
 */
import type {
  Clock,
  Notifier,
  Push,
  PushEnvironment,
  PushOutcome,
  PushTarget,
  TokenVerdict,
} from '../../../ports/index.js';
import { Proven, Sending } from '../common/index.js';
import type { ApnHost } from './apn-seam.js';
import { ApnsConnection } from './connection.js';
import { Environments, SECOND_OPINION_MS } from './environments.js';
import { type ApnsVerdict, judge, TOKEN_UPDATES_MS } from './outcomes.js';
import { type ApnsTexts, apnsHeaders, apnsPayload } from './payload.js';
import { type ApnsKey, ProviderToken } from './provider-token.js';

/** Of the 1,000 streams a typical connection allows, with room for a second relay of the same key. */
export const APNS_MAX_IN_FLIGHT = 200;
export const APNS_DEADLINE_MS = 10_000;
/** Apple does not name the length of a token; these are the ones seen, with room. */
const DEVICE_TOKEN = /^(?:[0-9a-f]{2}){32,100}$/;
const MAX_CLOCK_SKEW_MS = 300_000;

export interface ApnsApp extends ApnsTexts {
  readonly id: string;
  /** The app's bundle id. */
  readonly topic: string;
  readonly key: ApnsKey;
}

export interface ApnsOptions {
  /** The first is that of targets without an app. */
  readonly apps: readonly ApnsApp[];
  readonly clock: Clock;
  /** In place of Apple's, for tests. */
  readonly hosts?: Readonly<Record<PushEnvironment, ApnHost>> | undefined;
}

const APPLE: Readonly<Record<PushEnvironment, ApnHost>> = {
  production: { address: 'api.push.apple.com', port: 443 },
  sandbox: { address: 'api.sandbox.push.apple.com', port: 443 },
};

/** One key: its token, and its connection to each host, all made when first needed. */
interface Team {
  readonly token: ProviderToken;
  readonly connections: Map<PushEnvironment, ApnsConnection>;
  /** Until then (elapsed) Apple wants no new token, and gets no push. */
  holdUntil: number;
}

interface Job {
  readonly app: ApnsApp;
  readonly team: Team;
  readonly push: Push;
  readonly payload: string;
  readonly deviceToken: string;
  readonly signal: AbortSignal;
}

export class ApnsNotifier implements Notifier {
  readonly provider = 'apns';
  readonly maxInFlight = APNS_MAX_IN_FLIGHT;
  readonly maxPerGroup = APNS_MAX_IN_FLIGHT;
  readonly #options: ApnsOptions;
  readonly #teams = new Map<string, Team>();
  readonly #proven: Proven;
  readonly #environments: Environments;
  readonly #sending: Sending;

  constructor(options: ApnsOptions) {
    this.#options = options;
    this.#proven = new Proven(options.clock);
    this.#environments = new Environments(options.clock, this.#proven);
    this.#sending = new Sending({
      clock: options.clock,
      maxInFlight: APNS_MAX_IN_FLIGHT,
      deadlineMs: APNS_DEADLINE_MS,
    });
  }

  groupOf(target: PushTarget): string {
    return `apns:${this.#appOf(target)?.id ?? 'none'}`;
  }

  checkToken({ token }: PushTarget): Promise<TokenVerdict> {
    return Promise.resolve(DEVICE_TOKEN.test(token.toLowerCase()) ? 'ok' : 'malformed');
  }

  async send(push: Push): Promise<PushOutcome> {
    const app = this.#appOf(push.target);
    if (app === undefined) return { outcome: 'config', reason: 'no_such_app' };
    const deviceToken = push.target.token.toLowerCase();
    if (!DEVICE_TOKEN.test(deviceToken)) return { outcome: 'bad_request', reason: 'malformed_token' };
    const payload = apnsPayload(push, app);
    if (payload === undefined) return { outcome: 'too_large' };
    const team = this.#teamOf(app.key);
    return this.#sending.run(app.id, (signal) =>
      this.#try({ app, team, push, payload, deviceToken, signal }),
    );
  }

  async close(): Promise<void> {
    await this.#sending.close();
    for (const { connections } of this.#teams.values()) {
      for (const connection of connections.values()) connection.reconnect();
    }
  }

  /** In the environment where it was last accepted; in the other one when that host does not know the token. */
  async #try(job: Job): Promise<PushOutcome> {
    const known = job.push.target.environment;
    for (const environment of this.#environments.order(known)) {
      const outcome = await this.#sendTo(environment, job);
      if (outcome === 'bad_device_token') continue;
      if (outcome.outcome !== 'accepted') return this.#whoseFault(job.app.id, outcome);
      this.#environments.accepted(job.app.id, job.deviceToken);
      return { outcome: 'accepted', environment };
    }
    return this.#environments.refused(job.app.id, job.deviceToken)
      ? { outcome: 'dead', reason: 'BadDeviceToken' }
      : { outcome: 'retry', reason: 'BadDeviceToken', afterMs: SECOND_OPINION_MS };
  }

  /** A token of another app is the device's fault once this app is known to work. */
  #whoseFault(app: string, outcome: PushOutcome): PushOutcome {
    const isForeign = outcome.outcome === 'config' && outcome.reason === 'DeviceTokenNotForTopic';
    return isForeign && this.#proven.has(app) ? { outcome: 'dead', reason: outcome.reason } : outcome;
  }

  async #sendTo(environment: PushEnvironment, job: Job): Promise<PushOutcome | 'bad_device_token'> {
    const { app, team, push, signal } = job;
    const { clock } = this.#options;
    const hold = team.holdUntil - clock.elapsed();
    if (hold > 0) return { outcome: 'config', reason: 'TooManyProviderTokenUpdates', afterMs: hold };
    const connection = this.#connectionOf(app.key, team, environment);
    const headers = apnsHeaders(push, app.topic, clock);
    const answer = await connection.exchange(headers, job.payload, job.deviceToken, signal);
    if (answer === 'refused') return { outcome: 'retry', reason: 'not_sent' };
    if (answer === 'lost') return { outcome: 'unknown', reason: 'connection_lost' };
    const verdict = judge(answer, clock.now());
    if (answer.status === 403 && isSkewed(answer.headers.date, clock.now())) return CLOCK_SKEW;
    return this.#settle(verdict, team, connection, answer.token);
  }

  #settle(
    verdict: ApnsVerdict,
    team: Team,
    connection: ApnsConnection,
    token: string,
  ): PushOutcome | 'bad_device_token' {
    if (verdict === 'token_expired') {
      return team.token.expired(token) ? { outcome: 'retry', reason: 'ExpiredProviderToken' } : CLOCK_SKEW;
    }
    if (verdict !== 'token_updates') return verdict;
    team.holdUntil = this.#options.clock.elapsed() + TOKEN_UPDATES_MS;
    connection.reconnect();
    return { outcome: 'config', reason: 'TooManyProviderTokenUpdates', afterMs: TOKEN_UPDATES_MS };
  }

  #appOf({ app }: PushTarget): ApnsApp | undefined {
    const { apps } = this.#options;
    return app === undefined ? apps[0] : apps.find(({ id }) => id === app);
  }

  #teamOf(key: ApnsKey): Team {
    const id = `${key.teamId}/${key.keyId}`;
    const known = this.#teams.get(id);
    if (known) return known;
    const team: Team = {
      token: new ProviderToken(key, this.#options.clock),
      connections: new Map(),
      holdUntil: 0,
    };
    this.#teams.set(id, team);
    return team;
  }

  #connectionOf({ key, keyId, teamId }: ApnsKey, team: Team, environment: PushEnvironment): ApnsConnection {
    const known = team.connections.get(environment);
    if (known) return known;
    const connection = new ApnsConnection({
      host: (this.#options.hosts ?? APPLE)[environment],
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyId,
      teamId,
      requestTimeoutMs: 2 * APNS_DEADLINE_MS,
      token: () => team.token.current(),
    });
    team.connections.set(environment, connection);
    return connection;
  }
}

const CLOCK_SKEW: PushOutcome = { outcome: 'config', reason: 'clock_skew' };

/** Apple judges the age of a token by its own clock; ours being wrong looks like a bad key. */
function isSkewed(date: string | undefined, now: number): boolean {
  return date !== undefined && Math.abs(Date.parse(date) - now) > MAX_CLOCK_SKEW_MS;
}
