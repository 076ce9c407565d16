/** The public types of the client SDK: a device that decides. Names are fixed; implementations live beside. */
import type { Storage } from './storage/storage.js';

export interface PairOptions {
  storage: Storage;
  deviceName: string;
  platform?: 'ios' | 'android' | 'web' | undefined;
  /** Where pushes go, if that is known already; else {@link Client.registerPush}. */
  push?: PushRegistration | undefined;
  ca?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Where pushes to this device go (04 §1). */
export type PushRegistration =
  /** A token of APNs (hex) or FCM. `app`: which of the relay's apps it belongs to, the first by default. */
  | { platform: 'ios' | 'android'; token: string; app?: string | undefined }
  /** Web Push, or UnifiedPush on Android. `vapidKey`: the relay's key that it was made under. */
  | {
      platform: 'web' | 'android';
      subscription: WebSubscription;
      vapidKey?: string | undefined;
      app?: string | undefined;
    };

/** As `PushSubscription.toJSON()` gives it: https endpoint of at most 1,000 bytes, keys in base64url. */
export interface WebSubscription {
  endpoint?: string | undefined;
  keys?: Record<string, string> | undefined;
}

/** What a relay can push to. */
export interface PushInfo {
  /** For `applicationServerKey`, base64url. Absent from a relay without Web Push. */
  vapidKey?: string | undefined;
  /** Ids of the apps it has credentials for. */
  apps: readonly string[];
}

export interface Pairing {
  /** Local id of the pairing: the namespace id in hex. */
  readonly id: string;
  readonly agentName: string;
  readonly relayUrl: string;
  readonly deviceId: string;
  /** `YA1R-6H00`: to be typed at the agent. */
  readonly code: string;
  readonly pairedAt: number;
}

export interface ClientOptions {
  storage: Storage;
  /**
   * Shows an alert to the person. True = shown; only then is it confirmed to the relay (once `received`
   * is in force; until then the pong sent after the commit confirms).
   */
  onAlert(alert: Alert): Promise<boolean>;
  /**
   * A subscription was made under another key than the relay has now (absent: it has none): subscribe anew with
   * `vapidKey` and call {@link Client.registerPush}. Looked at after every login with such a subscription.
   */
  onPushKey?: ((change: PushKeyChange) => void) | undefined;
  /** Of the program that uses the SDK; the agent is told, also when it has changed. */
  appVersion?: string | undefined;
  /** Agents' notifications for this device say only that something waits (03 §3). Default false. */
  privatePreviews?: boolean | undefined;
  /** PEM certificate authorities beside the system's (Node). */
  ca?: string | undefined;
  /** Unix milliseconds; the system's clock by default. */
  clock?: { now(): number } | undefined;
  logger?: ClientLogger | undefined;
}

export interface PushKeyChange {
  pairingId: string;
  relayUrl: string;
  vapidKey?: string | undefined;
}

export interface ClientLogger {
  debug(event: string, fields?: Record<string, string | number | boolean>): void;
  warn(event: string, fields?: Record<string, string | number | boolean>): void;
}

export interface Alert {
  /** Within its pairing; one item has one alert at a time. For {@link confirmShown}. */
  id: string;
  pairingId: string;
  agentName: string;
  title: string;
  body: string;
  /** The item it is about; of a replacement, the item it replaces. */
  requestId?: string | undefined;
  itemKind?: ItemKind | undefined;
  badge?: number | undefined;
  expiresAt?: number | undefined;
  replaces?: string | undefined;
  outcome?: string | undefined;
  /** True when this very payload was opened before (push and queue carry the same bytes). */
  seen: boolean;
}

export type ItemKind = 'approval' | 'clarification' | 'elicitation';

/** What the person may do with an item, exactly as the agent offers. */
export interface InboxItem {
  pairingId: string;
  agentName: string;
  kind: ItemKind;
  requestId: string;
  /** `waiting`: known from a notification only, not approvable. `unreadable`: failed its schema. */
  state: 'open' | 'waiting' | 'unreadable' | 'answered';
  summary: string;
  /** The entry as received (parsed JSON), never stripped; its digest is over exactly this. */
  entry: Readonly<Record<string, unknown>>;
  /** The digest computed here over {@link entry}, hex; empty when it has none. */
  digest: string;
  /** False when parts were cut to fit; approving needs the whole (`client.load(item)`). */
  whole: boolean;
  /** The digest computed here equals the one the agent sent, or the agent sent none. */
  digestMatches: boolean;
  createdAt: number;
  /** In the agent's clock; `remainingMs` uses the offset of the newest live message. */
  expiresAt: number;
  remainingMs: number;
  risk: 'low' | 'normal' | 'high';
  choices: readonly string[];
  answer?: AnswerState | undefined;
}

export type AnswerState =
  | { phase: 'sending' | 'sent' }
  /** `bypassSecs`: what the agent lowered a bypass to. */
  | {
      phase: 'confirmed';
      status: string;
      outcome?: string | undefined;
      by?: string | undefined;
      bypassSecs?: number | undefined;
    }
  /** Stored and retried by the rules of 03 §5. */
  | { phase: 'not_confirmed' }
  | {
      phase: 'refused';
      status: string;
      message: string;
      outcome?: string | undefined;
      by?: string | undefined;
    };

export interface InboxSnapshot {
  items: readonly InboxItem[];
  badge: number;
  pairings: readonly PairingStatus[];
  bypasses: readonly Bypass[];
}

/** A standing approval given earlier; ended with {@link Client.endBypass}. */
export interface Bypass {
  pairingId: string;
  agentName: string;
  id: string;
  toolName: string;
  sessionId?: string | undefined;
  /** Unix ms in the agent's clock; null until the session ends. */
  until: number | null;
  remainingMs: number | null;
  /** Name of the device that gave it. */
  by: string;
}

export interface PairingStatus {
  id: string;
  agentName: string;
  connection: 'connecting' | 'online' | 'waiting' | 'closed';
  agentOnline: boolean | undefined;
  /**
   * Why not online, and what to do. Beside the codes of the link: `waiting_for_confirmation` (the agent's person has
   * not confirmed the code yet), `revoked`, `open_elsewhere` (another tab is connected), and, also while online, `clock_skew` (the agent refused this clock).
   */
  problem?: { code: string; message: string } | undefined;
  /** Unix ms of the newest snapshot, in this device's clock; absent before the first. */
  snapshotAt?: number | undefined;
  /** Agent's clock minus this device's, from the newest live snapshot. */
  clockOffsetMs?: number | undefined;
}

export interface ApproveOptions {
  /** Integer seconds, 1 … 86,400; 0 = for this session. Absent = once. */
  bypassSecs?: number | undefined;
  ruleId?: string | undefined;
  modifiedArguments?: Record<string, unknown> | undefined;
  shown?: 'full' | 'summary' | undefined;
}

export interface RejectOptions {
  reason?: string | undefined;
  stop?: boolean | undefined;
  /** Answers instead of refusing: `reason` becomes the tool's result. */
  respond?: boolean | undefined;
}

export type AnswerContent =
  | { kind: 'clarification'; answer: string }
  /**
   * A value may be a Uint8Array, the UTF-8 of a text; those of a sensitive elicitation are overwritten with zeros
   * before the call resolves or rejects.
   */
  | { kind: 'elicitation'; action: 'accept'; content: Record<string, unknown> }
  | { kind: 'elicitation'; action: 'decline' | 'cancel' };

/** An answer that was given; progress also shows in the inbox. */
export interface SentAnswer {
  /** The payload's id: the same on every resend. */
  readonly id: string;
  /** Signed over the item and the answer (02 §4), to be kept as evidence. Absent for an item without a digest. */
  readonly receipt?: Readonly<Record<string, unknown>> | undefined;
  readonly state: AnswerState;
  /** The first of confirmed, refused; or not_confirmed after `timeoutMs` (default 10 s). */
  settled(options?: { timeoutMs?: number }): Promise<AnswerState>;
}

/** An answer given on a notification's button. */
export interface ShownAnswer {
  pairingId: string;
  requestId: string;
  /** The text that stood above the button: the alert's `body`, exactly. */
  summary: string;
  decision: 'approve' | 'reject';
}

/**
 * `differs`: the item says something else than the notification did. `look`: of high risk, no approval, not whole, or for
 * another reason to be looked at. `unreachable`: relay or agent did not answer in time.
 */
export type ShownAnswerResult =
  | { result: 'given'; answer: SentAnswer }
  | { result: 'ended' | 'differs' | 'look' | 'unreachable' };

/** One that stands on the screen; `tag` is the platform's name for it. */
export interface ShownNotification {
  tag: string;
  requestId: string;
  pairingId?: string | undefined;
}

/** `replace`: show `alert` in its place, quietly and without buttons. */
export type NotificationChange = { tag: string; do: 'close' } | { tag: string; do: 'replace'; alert: Alert };

export interface Client {
  readonly inbox: {
    get(): InboxSnapshot;
    subscribe(listener: (snapshot: InboxSnapshot) => void): () => void;
  };
  readonly pairings: { list(): Promise<Pairing[]>; unpair(pairingId: string): Promise<void> };
  /** Starts connections for a pairing made after the client was opened. */
  refreshPairings(): Promise<void>;
  /** Asks for a fresh snapshot with this item whole; waits up to 10 s. Undefined when the item has ended. */
  load(item: InboxItem): Promise<InboxItem | undefined>;
  /** Asks one agent, or all, for a fresh snapshot: on tap. Resolves when it was asked. */
  requestInbox(pairingId?: string): Promise<void>;
  /**
   * Signs and sends. Resolves when the answer is stored (or, where it must not be stored, written); what came of it
   * is in the {@link SentAnswer}. A second answer to the same item is refused unless the item came back.
   *
   * @throws CountersignError `invalid_request` (not offered, not whole, altered, ended, answered already),
   * `payload_too_large`, `queue_full`, `unavailable` (must go now, and the agent is not there), `not_paired`.
   */
  approve(item: InboxItem, options?: ApproveOptions): Promise<SentAnswer>;
  reject(item: InboxItem, options?: RejectOptions): Promise<SentAnswer>;
  answer(item: InboxItem, content: AnswerContent): Promise<SentAnswer>;
  /** Present state of an answer by its id, also one of an earlier start; undefined once it is forgotten. */
  answerState(pairingId: string, answerId: string): AnswerState | undefined;
  /** @throws CountersignError `unsupported` when the agent has no bypasses. */
  endBypass(pairingId: string, bypassId: string): Promise<void>;
  /**
   * Keeps where pushes go, for one pairing or for every one of that platform, and tells the relay: now if it is
   * connected and something changed, and at every login. Gives the ids of the pairings. Call it at every start of
   * the app: platforms change tokens unasked.
   *
   * @throws CountersignError `invalid_request` (malformed, or of another platform than the pairing), `not_paired`.
   */
  registerPush(registration: PushRegistration, pairingId?: string): Promise<string[]>;
  /**
   * Fetches the item anew and answers it only if it says what the notification said (03 §5). Waits for the connection
   * and for the item, up to 10 s each.
   *
   * @throws CountersignError `queue_full`, `unavailable`, `not_paired`.
   */
  answerShown(answer: ShownAnswer): Promise<ShownAnswerResult>;
  /** Changes what {@link ClientOptions.privatePreviews} began with; agents are told, now or at the next login. */
  setPrivatePreviews(on: boolean): Promise<void>;
  /** Sends what is queued for at most 2 s and ends every connection. Does not close the storage. */
  close(): Promise<void>;
}
