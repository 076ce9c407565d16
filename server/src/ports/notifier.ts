/**
 * One push provider as the push worker sees it. Adapters translate whatever a provider says into the outcomes
 * below and let nothing else through: no status codes to interpret, no texts of third parties, no thrown errors.
 * Must not know queues, retries, rates or which message a push is about.
 */
export type PushProvider = 'apns' | 'fcm' | 'webpush';

/** APNs keeps tokens of development builds on a host of their own; others have no such thing. */
export type PushEnvironment = 'production' | 'sandbox';

export interface PushTarget {
  /** What the device registered: APNs hex, an FCM token, or the JSON of a subscription (04 §3). */
  readonly token: string;
  /** Which configured app; undefined is the first. */
  readonly app?: string | undefined;
  /** Learned from an earlier `accepted`; undefined while nobody knows. */
  readonly environment?: PushEnvironment | undefined;
  /** Web Push: the VAPID public key (base64url) the subscription was made under, where known. */
  readonly vapidPublicKey?: string | undefined;
}

/** How the device finds its pairing: by the keys, or by the opaque name of its registration (04 §1). */
export type PushAddress =
  | { readonly namespaceId: Uint8Array; readonly sender: Uint8Array }
  | { readonly handle: Uint8Array };

/** `wake` carries no content: "look what there is". */
export type PushContent =
  | { readonly kind: 'content'; readonly nonce: Uint8Array; readonly ciphertext: Uint8Array }
  | { readonly kind: 'wake' };

export interface Push {
  readonly target: PushTarget;
  readonly address: PushAddress;
  readonly content: PushContent;
  /** `replace`: quiet text in the place of an earlier alert. */
  readonly intent: 'alert' | 'replace';
  /** 24 bytes, the same for pushes that replace one another; says nothing to the provider. */
  readonly collapse: Uint8Array;
  /** What is left of the message's life when this is sent, at least 1,000. */
  readonly ttlMs: number;
}

/**
 * - `accepted`: the provider took it (which proves no delivery).
 * - `dead`: this token or subscription will never work again; `since` (unix ms) where the provider tells, so that a later registration survives.
 * - `retry`: not now; `afterMs` is the provider's own floor.
 * - `config`: our credential, app or environment is at fault, whoever the device is; pushes of the group wait, for `afterMs` at least.
 * - `bad_request`: this push is malformed; repeating it would not help.
 * - `too_large`: over the provider's limit, found before or after sending; a wake may still fit.
 * - `unknown`: nobody can say whether it went out (reset, timeout); a repeat is safe because it collapses.
 * `reason` is a word of a closed list, safe to log and to count.
 */
export type PushOutcome =
  | { readonly outcome: 'accepted'; readonly environment?: PushEnvironment | undefined }
  | { readonly outcome: 'dead'; readonly reason: string; readonly since?: number | undefined }
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number | undefined }
  | { readonly outcome: 'config'; readonly reason: string; readonly afterMs?: number | undefined }
  | { readonly outcome: 'bad_request'; readonly reason: string }
  | { readonly outcome: 'too_large' }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** What a device told at login or pairing, judged before it is stored. */
export type TokenVerdict = 'ok' | 'malformed' | 'forbidden_endpoint';

export interface Notifier {
  readonly provider: PushProvider;
  /** Sends in flight at once that the provider takes well; the worker keeps below it. */
  readonly maxInFlight: number;
  /** The same for one group; what is sent beyond either waits its turn inside, and its deadline begins then. */
  readonly maxPerGroup: number;
  /** What shares a breaker and a cap: the credential, or the origin of a web endpoint. Never a token. */
  groupOf(target: PushTarget): string;
  checkToken(target: PushTarget): Promise<TokenVerdict>;
  /** Within its own deadline (named in the adapter), whatever the provider does. Never rejects. */
  send(push: Push): Promise<PushOutcome>;
  /** Ends what is in flight within 10 s as `unknown` and lets go of connections. */
  close(): Promise<void>;
}
