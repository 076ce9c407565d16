/**
 * Pushes to Android devices by Google's service. The library is loaded with the first push, since few relays send
 * any. Must not know queues or retries.
 */
import { randomUUID } from 'node:crypto';
import type { Message, Messaging } from 'firebase-admin/messaging';
import type { Clock, Notifier, Push, PushOutcome, PushTarget, TokenVerdict } from '../../../ports/index.js';
import { Sending } from '../common/index.js';
import { AccessToken, type ServiceAccount } from './access-token.js';
import { fcmMessage } from './message.js';
import { judge, SERVER_FAULT_MS } from './outcomes.js';
import { type FcmHost, WatchedAgent } from './watched-agent.js';

export const FCM_MAX_IN_FLIGHT = 64;
export const FCM_DEADLINE_MS = 10_000;
const REGISTRATION_TOKEN = /^[\w:.-]{20,2048}$/;
/** The library asks its credential again when a token has no more than five minutes left: for each send. */
const LIBRARY_TOKEN_SECONDS = 300;

export interface FcmApp {
  readonly id: string;
  readonly account: ServiceAccount;
}

export interface FcmOptions {
  /** The first is that of targets without an app. */
  readonly apps: readonly FcmApp[];
  readonly clock: Clock;
  /** In place of Google's, for tests. */
  readonly host?: FcmHost | undefined;
}

interface Library {
  readonly messaging: Messaging;
  close(): Promise<void>;
}

/** One service account: its access token and the library's app, made when first needed. */
interface Project {
  readonly token: AccessToken;
  readonly library: Promise<Library>;
  /** The last push was refused for its access token, so a second refusal is not the token's age. */
  refused: boolean;
}

export class FcmNotifier implements Notifier {
  readonly provider = 'fcm';
  readonly maxInFlight = FCM_MAX_IN_FLIGHT;
  readonly maxPerGroup = FCM_MAX_IN_FLIGHT;
  readonly #options: FcmOptions;
  readonly #agent: WatchedAgent;
  readonly #projects = new Map<ServiceAccount, Project>();
  readonly #sending: Sending;

  constructor(options: FcmOptions) {
    this.#options = options;
    this.#agent = new WatchedAgent(FCM_MAX_IN_FLIGHT, options.host);
    this.#sending = new Sending({
      clock: options.clock,
      maxInFlight: FCM_MAX_IN_FLIGHT,
      deadlineMs: FCM_DEADLINE_MS,
    });
  }

  groupOf(target: PushTarget): string {
    return `fcm:${this.#appOf(target)?.id ?? 'none'}`;
  }

  checkToken({ token }: PushTarget): Promise<TokenVerdict> {
    return Promise.resolve(REGISTRATION_TOKEN.test(token) ? 'ok' : 'malformed');
  }

  async send(push: Push): Promise<PushOutcome> {
    const app = this.#appOf(push.target);
    if (app === undefined) return { outcome: 'config', reason: 'no_such_app' };
    if (!REGISTRATION_TOKEN.test(push.target.token))
      return { outcome: 'bad_request', reason: 'malformed_token' };
    const message = fcmMessage(push);
    if (message === undefined) return { outcome: 'too_large' };
    const project = this.#projectOf(app.account);
    return this.#sending.run(app.id, (signal) => this.#try(project, message, signal));
  }

  async close(): Promise<void> {
    await this.#sending.close();
    this.#agent.destroy();
    const libraries = [...this.#projects.values()].map(({ library }) => library);
    this.#projects.clear();
    // A library that never loaded has nothing to let go of.
    await Promise.allSettled(libraries.map(async (library) => (await library).close()));
  }

  async #try(project: Project, message: Message, signal: AbortSignal): Promise<PushOutcome> {
    const access = await project.token.get();
    if (access === 'refused') return { outcome: 'config', reason: 'oauth_refused' };
    if (access === 'unavailable') {
      return { outcome: 'retry', reason: 'oauth_unavailable', afterMs: SERVER_FAULT_MS };
    }
    const { messaging } = await project.library;
    const result = await this.#agent.watch(signal, () => messaging.send(message));
    if (result === 'unsent') return { outcome: 'retry', reason: 'not_sent' };
    if (typeof result === 'string') return { outcome: 'unknown', reason: 'connection_lost' };
    const verdict = judge(result, this.#options.clock.now());
    if (verdict === 'unauthenticated') return this.#renew(project, access.token);
    project.refused = false;
    return verdict;
  }

  /** A stale access token is renewed once; refused again at once, it is the account. */
  #renew(project: Project, token: string): PushOutcome {
    project.token.discard(token);
    const again = project.refused;
    project.refused = !again;
    return again
      ? { outcome: 'config', reason: 'UNAUTHENTICATED' }
      : { outcome: 'retry', reason: 'UNAUTHENTICATED' };
  }

  #appOf({ app }: PushTarget): FcmApp | undefined {
    const { apps } = this.#options;
    return app === undefined ? apps[0] : apps.find(({ id }) => id === app);
  }

  #projectOf(account: ServiceAccount): Project {
    const known = this.#projects.get(account);
    if (known) return known;
    const token = new AccessToken(account, this.#agent, this.#options.clock);
    const library = this.#load(account, token);
    // Whoever sends hears of a failure to load; nobody may be sending.
    library.catch(() => undefined);
    const project = { token, library, refused: false };
    this.#projects.set(account, project);
    return project;
  }

  async #load({ projectId }: ServiceAccount, token: AccessToken): Promise<Library> {
    const [{ deleteApp, initializeApp }, { getMessaging }] = await Promise.all([
      import('firebase-admin/app'),
      import('firebase-admin/messaging'),
    ]);
    const credential = {
      getAccessToken: async () => {
        const access = await token.get();
        if (typeof access === 'string') throw new Error(access);
        return { access_token: access.token, expires_in: LIBRARY_TOKEN_SECONDS };
      },
    };
    const app = initializeApp(
      { credential, projectId, httpAgent: this.#agent },
      `countersign-${randomUUID()}`,
    );
    return { messaging: getMessaging(app), close: () => deleteApp(app) };
  }
}
