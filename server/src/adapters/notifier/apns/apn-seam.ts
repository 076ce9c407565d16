/**
 * The one place that knows the inside of the library `apn`. It sends well, but keeps to itself what an outbox needs
 * to know: the header Retry-After (it reads a name HTTP/2 never has), `date`, and whether Apple refused a stream
 * before looking at it. It also signs tokens when it likes. So this file hands it our token, and looks at each
 * stream as it is opened. Written against the exact version in package.json. Must not know what an answer means.
 */
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import apn from 'apn';

const ONE_HOUR_MS = 3_600_000;
const MEGABYTES_PER_SESSION = 100;

export interface ApnHost {
  readonly address: string;
  readonly port: number;
  /** PEM of authorities to trust in place of the system's. */
  readonly ca?: string | undefined;
}

type OpenRequest = Pick<ClientHttp2Session, 'request'>;

/** What of the library's client is used here. */
interface ApnClient {
  session?: ClientHttp2Session | null;
  config: { token: unknown };
  request(session: OpenRequest, ...rest: unknown[]): Promise<unknown>;
  setLogger(logger: () => void): void;
  shutdown(): Promise<void>;
}

export interface ApnSender {
  /** Resolves when the library gave up or had an answer; `opened` sees the stream, if there was one. */
  send(
    notification: apn.Notification,
    token: string,
    opened: (stream: ClientHttp2Stream, headers: OutgoingHttpHeaders) => void,
  ): Promise<void>;
  /** Drops the connection and everything on it. */
  destroy(): void;
}

export interface ApnSenderOptions {
  readonly host: ApnHost;
  /** PEM of the signing key; the library signs a token with it that is never sent. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly requestTimeoutMs: number;
  /** The provider token to send with. */
  token(): string;
}

type Opened = Parameters<ApnSender['send']>[2];

export function openApnSender(options: ApnSenderOptions): ApnSender {
  const provider = new apn.Provider(providerOptions(options));
  const { client } = provider as unknown as { client: ApnClient };
  // The library's log names device tokens.
  client.setLogger(() => undefined);
  client.config.token = ourToken(options);
  const watchers = new Map<unknown, Opened>();
  watchStreams(client, watchers);
  return {
    send: async (notification, token, opened) => {
      watchers.set(notification.id, opened);
      await provider.send(notification, token).finally(() => watchers.delete(notification.id));
    },
    destroy: () => {
      client.session?.destroy();
      void client.shutdown();
    },
  };
}

function providerOptions({
  host,
  key,
  keyId,
  teamId,
  requestTimeoutMs,
}: ApnSenderOptions): apn.ProviderOptions {
  return {
    token: { key: Buffer.from(key), keyId, teamId },
    address: host.address,
    port: host.port,
    ...(host.ca === undefined ? {} : { ca: [host.ca] }),
    production: true,
    // It would retry at once, and go on retrying whatever comes next.
    connectionRetryLimit: 0,
    heartBeat: ONE_HOUR_MS,
    requestTimeout: requestTimeoutMs,
    // Passed on to http2.connect: Apple allows one stream until it has seen a valid token, and more is refused;
    // below this much memory a burst ends in ENHANCE_YOUR_CALM.
    ...{ peerMaxConcurrentStreams: 1, maxSessionMemory: MEGABYTES_PER_SESSION },
  };
}

function ourToken({ token }: ApnSenderOptions): object {
  return {
    generation: 0,
    get current() {
      return token();
    },
    isExpired: () => false,
    regenerate: () => undefined,
  };
}

function watchStreams(client: ApnClient, watchers: ReadonlyMap<unknown, Opened>): void {
  const request = client.request.bind(client);
  client.request = (session, ...rest) => {
    const watched: OpenRequest = {
      request: (headers = {}, options) => {
        const stream = session.request(headers, options);
        watchers.get((headers as OutgoingHttpHeaders)['apns-id'])?.(stream, headers as OutgoingHttpHeaders);
        return stream;
      },
    };
    return request(watched, ...rest);
  };
}
