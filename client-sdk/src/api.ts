/** The public types of the client SDK: a device that decides. Names are fixed; implementations live beside. */
import type { Storage } from './storage/storage.js';

export interface PairOptions {
  storage: Storage;
  deviceName: string;
  platform?: 'ios' | 'android' | 'web' | undefined;
  deviceToken?: string | undefined;
  ca?: string | undefined;
  signal?: AbortSignal | undefined;
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
  ca?: string | undefined;
  logger?: ClientLogger | undefined;
}

export interface ClientLogger {
  debug(event: string, fields?: Record<string, string | number | boolean>): void;
  warn(event: string, fields?: Record<string, string | number | boolean>): void;
}

export interface Alert {
  pairingId: string;
  agentName: string;
  title: string;
  body: string;
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
  | { phase: 'confirmed'; status: string; outcome?: string | undefined; by?: string | undefined }
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
  /** Unix ms of the newest snapshot per pairing, in this device's clock; absent before the first. */
  pairings: readonly PairingStatus[];
}

export interface PairingStatus {
  id: string;
  agentName: string;
  connection: 'connecting' | 'online' | 'waiting' | 'closed';
  agentOnline: boolean | undefined;
  problem?: { code: string; message: string } | undefined;
  snapshotAt?: number | undefined;
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
  | { kind: 'elicitation'; action: 'accept'; content: Record<string, unknown> }
  | { kind: 'elicitation'; action: 'decline' | 'cancel' };

/** Resolves when the answer is final or its item has ended; progress also shows in the inbox. */
export interface SentAnswer {
  readonly id: string;
  readonly state: AnswerState;
  /** The first of confirmed, refused; or not_confirmed after `timeoutMs` (default 10 s). */
  settled(options?: { timeoutMs?: number }): Promise<AnswerState>;
}

export interface Client {
  readonly inbox: {
    get(): InboxSnapshot;
    subscribe(listener: (snapshot: InboxSnapshot) => void): () => void;
  };
  readonly pairings: { list(): Promise<Pairing[]>; unpair(pairingId: string): Promise<void> };
  /** Starts connections for a pairing made after the client was opened. */
  refreshPairings(): Promise<void>;
  /** Asks for a fresh snapshot, with this item whole. */
  load(item: InboxItem): Promise<InboxItem | undefined>;
  requestInbox(pairingId?: string): Promise<void>;
  approve(item: InboxItem, options?: ApproveOptions): Promise<SentAnswer>;
  reject(item: InboxItem, options?: RejectOptions): Promise<SentAnswer>;
  answer(item: InboxItem, content: AnswerContent): Promise<SentAnswer>;
  endBypass(pairingId: string, bypassId: string): Promise<void>;
  close(): Promise<void>;
}
