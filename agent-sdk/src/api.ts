/** The public types of the agent SDK. Names are fixed; implementations live beside. */

import type { Registry } from './describe/index.js';

export interface AgentOptions {
  /** `ws(s)://host[:port]`. */
  relayUrl: string;
  /** State directory; created 0700. Its seed file is 0600 and refused when wider. */
  dir: string;
  /** Shown to the person as the agent's label; at most 64 code points. Default: the host name. */
  name?: string | undefined;
  /** Right to register a new namespace at a relay that asks for one. */
  invite?: string | undefined;
  /** Where pairing links point. Default: the relay's http(s) origin + `/app/`. */
  appUrl?: string | undefined;
  /** Devices (ids) whose unsigned answers are taken. Default `required`: none. */
  receipts?: 'required' | { optionalFor: readonly string[] } | undefined;
  /** Longest bypass a device may give, in seconds; longer ones are lowered to it. Default 86,400 (a day). */
  bypassCeilingSecs?: number | undefined;
  /** The relay is one of the original family, whose challenge is not bound to its address. Default false. */
  originalRelay?: boolean | undefined;
  /** How a new device is confirmed: the code it shows, or a yes. Default `code`. */
  confirm?: 'code' | 'yes' | undefined;
  /** How long items left pending by a crash may still be answered. Default 5,000 ms. */
  reopenGraceMs?: number | undefined;
  /** PEM certificate authorities beside the system's. */
  ca?: string | undefined;
  logger?: AgentLogger | undefined;
  /** Words for the host's own tools (`createRegistry` of door "./describe"). Default: the built-in ones alone. */
  registry?: Registry | undefined;
  /**
   * Directories (absolute) in which files may be read to show what a call changes: plain text up to 1 MiB, through no
   * link that leads out of them. Default: the directory the call runs in, unless that is the root; `[]`: none.
   */
  fileRoots?: readonly string[] | undefined;
}

export interface AgentLogger {
  debug(event: string, fields?: Record<string, string | number | boolean>): void;
  info(event: string, fields?: Record<string, string | number | boolean>): void;
  warn(event: string, fields?: Record<string, string | number | boolean>): void;
}

export type Choice =
  | 'approve'
  | 'approve_session'
  | 'approve_for'
  | 'approve_rule'
  | 'edit'
  | 'reject'
  | 'reject_with_reason'
  | 'reject_and_stop'
  | 'respond';

export type Risk = 'low' | 'normal' | 'high';

export interface ApprovalRequest {
  toolName: string;
  /** The call's arguments as a value … */
  arguments?: unknown;
  /** … or as the JSON text the model wrote (preferred: nothing is lost). */
  argumentsText?: string | undefined;
  /** One line, shortened to 120 code points (the log says `summary_shortened`). Default: described by the SDK. */
  summary?: string | undefined;
  /** A view (`{v, summary, blocks}`) or a list of blocks. Default: described by the SDK. */
  blocks?: unknown;
  detail?: string | undefined;
  /**
   * Default: the describer's estimate, whose reasons are in the view when it is high. It is a reading aid: it refuses
   * nothing and shortens nothing, except that a call of high risk is approved on its whole view, never on a
   * notification (03 §5).
   */
  risk?: Risk | undefined;
  /** 5 s to 6 days; default 24 h, or 1 h where `risk` here is `high`. */
  expiresInMs?: number | undefined;
  /** Directory the call runs in, absolute: relative paths in it begin there. Default: the process's. */
  cwd?: string | undefined;
  /** What the tool's server says of it; read to describe the call, never sent. */
  tool?: ToolDeclaration | undefined;
  choices?: readonly Choice[] | undefined;
  inputSchema?: Record<string, unknown> | undefined;
  rules?: readonly { id: string; label: string }[] | undefined;
  sessionId?: string | undefined;
  callId?: string | undefined;
}

/** As MCP's `tools/list` gives it. */
export interface ToolDeclaration {
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: Record<string, unknown> | undefined;
  /** Hints of an MCP server: may make the estimate of the risk graver, and lighter where nothing else is known. */
  annotations?: Record<string, unknown> | undefined;
}

export interface ClarificationRequest {
  question: string;
  context?: string | undefined;
  suggestedAnswers?: readonly string[] | undefined;
  expiresInMs?: number | undefined;
}

export interface ElicitationRequest {
  serverName: string;
  message: string;
  fieldName?: string | undefined;
  sensitive?: boolean | undefined;
  isConfirmation?: boolean | undefined;
  requestedSchema?: Record<string, unknown> | undefined;
  url?: string | undefined;
  expiresInMs?: number | undefined;
}

/** Who decided: a paired device. */
export interface Approver {
  deviceId: string;
  name: string;
}

export type Receipt = Record<string, unknown>;

export type Scope = 'once' | 'session' | { forSecs: number } | { ruleId: string };

interface OutcomeBase {
  requestId: string;
  /** The sentence for the model. */
  text: string;
}

export type ApprovedOutcome = OutcomeBase & {
  status: 'approved';
  /** What may run: parsed back from the frozen bytes, or what the device sent back. */
  arguments: unknown;
  /** Present instead of arguments when the call's arguments could not be frozen as JSON. */
  argumentsText?: string | undefined;
  modified: boolean;
  scope: Scope;
  by: Approver;
  receipt?: Receipt | undefined;
  /**
   * Present when this approval was handed out before (a second `reopen`), with what became of the call; `arguments`
   * are gone then. Never run it again.
   */
  earlier?: 'started' | 'done' | 'failed' | undefined;
  /** Records that the call ran. Idempotent. */
  done(): Promise<void>;
  failed(reason: string): Promise<void>;
};

export type EndedOutcome =
  | (OutcomeBase & {
      status: 'rejected';
      reason?: string | undefined;
      stop: boolean;
      by: Approver;
      receipt?: Receipt | undefined;
    })
  | (OutcomeBase & { status: 'answered'; answer: string; by: Approver; receipt?: Receipt | undefined })
  | (OutcomeBase & { status: 'expired' })
  | (OutcomeBase & { status: 'cancelled'; reason: 'aborted' | 'agent_restarted' | 'no_device' | 'closed' })
  | (OutcomeBase & { status: 'superseded'; replacedBy: string })
  /** The process died while the approved call was running: it may or may not have happened. */
  | (OutcomeBase & { status: 'unknown' });

export type ApprovalOutcome = ApprovedOutcome | EndedOutcome;

/** A sensitive answer's `content` exists only here, never on disk. */
export type ElicitationOutcome =
  | (OutcomeBase & { status: 'answered'; action: 'accept'; content: Record<string, unknown>; by: Approver })
  | (OutcomeBase & { status: 'answered'; action: 'decline' | 'cancel'; by: Approver })
  | Extract<EndedOutcome, { status: 'expired' | 'cancelled' | 'superseded' | 'unknown' }>;

export interface AgentDevice {
  /** Ed25519 public key, 64 hex characters. */
  deviceId: string;
  name: string;
  platform: 'ios' | 'android' | 'web' | 'unknown';
  state: 'paired' | 'confirmed' | 'authorized' | 'trusted';
  /** False when it was confirmed by a yes instead of the code. */
  verified: boolean;
  online: boolean;
  pairedAt: number;
  lastSeenAt?: number | undefined;
}

export interface PendingItem {
  requestId: string;
  kind: 'approval' | 'clarification' | 'elicitation';
  toolName?: string | undefined;
  summary: string;
  createdAt: number;
  expiresAt: number;
  /** The sentence for the model while nobody has decided. */
  text: string;
  /** What the relay said of the pushes about it: the newest per device. Absent while it said nothing. */
  pushes?: readonly PushReport[] | undefined;
}

/** What became of a push to a device (04 §2), as far as the relay tells. */
export interface PushReport {
  deviceId: string;
  /** Its name. */
  device: string;
  /** Absent for information without an item. */
  requestId?: string | undefined;
  outcome: PushOutcome;
  /** A reason in few words. */
  detail?: string | undefined;
  /** Nobody gets this push: the person sees the item only where the app is open. */
  missed: boolean;
  /** The sentence for the person at the agent. */
  text: string;
}

/**
 * `accepted`: the device's push service took it. `superseded`: the device has the message, or another took its
 * place before it went out. No push: `no_device` (the relay does not know it), `no_token` (there is nothing to push
 * to), `expired`, `refused` (by the push service), `failed`.
 */
export type PushOutcome =
  | 'accepted'
  | 'no_device'
  | 'no_token'
  | 'superseded'
  | 'expired'
  | 'refused'
  | 'failed';

export interface PairingSession {
  /** The link a person opens on the device; contains secrets, valid until {@link expiresAt}. */
  readonly link: string;
  readonly expiresAt: number;
  /** `terminal` is text, `svg` is markup, `png` is bytes. */
  qr(format: 'terminal'): Promise<string>;
  qr(format: 'svg'): Promise<string>;
  qr(format: 'png'): Promise<Uint8Array>;
  /** The JSON form for original apps (02 §5). */
  readonly qrJson: string;
  /**
   * Devices that came through this window, until it ends. `refused`: a second one tried to use it, which got nothing;
   * the person should know.
   */
  devices(): AsyncIterable<{ deviceId: string; platform: string; refused?: true }>;
  /** The code typed from the device's screen. Three misses close the window. */
  confirm(deviceId: string, code: string): Promise<'ok' | 'wrong' | 'closed'>;
  /** For an app that shows no code; only with `confirm: 'yes'`. Listed as unverified. */
  confirmUnverified(deviceId: string): Promise<'ok' | 'closed'>;
  refuse(deviceId: string): Promise<void>;
  stop(): Promise<void>;
}

export interface AskOptions {
  /** Aborting withdraws the item everywhere; it ends `cancelled`, reason `aborted`. */
  signal?: AbortSignal | undefined;
  /** Called once with the id, when the item is durable and waits for an answer. */
  onAsked?: ((requestId: string) => void) | undefined;
}

/** `result` is there when the call was approved and `fn` returned. */
export interface RunOutcome<T> {
  outcome: ApprovalOutcome;
  result?: T;
}

export interface Agent {
  readonly connected: boolean;
  readonly namespaceId: string;
  /** Why it is not connected, or what is wrong though it is (`devices_missing`), as a sentence that says what to do. */
  readonly problem: { code: string; message: string } | undefined;
  whenConnected(options?: { timeoutMs?: number }): Promise<void>;
  on<E extends keyof AgentEvents>(event: E, listener: (value: AgentEvents[E]) => void): () => void;
  close(): Promise<void>;
  startPairing(options?: { ttlMs?: number }): Promise<PairingSession>;
  readonly devices: {
    list(): Promise<AgentDevice[]>;
    rename(deviceId: string, name: string): Promise<void>;
    revoke(deviceId: string): Promise<void>;
  };
  requestApproval(request: ApprovalRequest, options?: AskOptions): Promise<ApprovalOutcome>;
  askClarification(request: ClarificationRequest, options?: AskOptions): Promise<EndedOutcome>;
  elicit(request: ElicitationRequest, options?: AskOptions): Promise<ElicitationOutcome>;
  /** Ask, mark started, run with the frozen arguments, record done or failed. */
  run<T>(
    request: ApprovalRequest,
    fn: (args: unknown) => Promise<T> | T,
    options?: AskOptions,
  ): Promise<RunOutcome<T>>;
  notify(note: { title: string; body: string }): Promise<void>;
  pending(): Promise<PendingItem[]>;
  /** Waits again for an item; an ended one gives its stored outcome. */
  reopen(requestId: string, options?: AskOptions): Promise<ApprovalOutcome | ElicitationOutcome>;
}

export interface AgentEvents {
  connected: undefined;
  disconnected: { code: string; message: string };
  device: AgentDevice;
  ended: { requestId: string; status: string };
  push: PushReport;
}
