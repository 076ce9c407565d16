/**
 * What hosts ask and what they get back: freeze, store, wait, hand the decision out once. Must not know devices'
 * answers or how anything is sent.
 */
import { isAbsolute } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import type { FrozenArguments } from '@countersign/protocol/e2e';
import type { Core } from '../agent/core.js';
import type {
  ApprovalOutcome,
  ApprovalRequest,
  ApprovedOutcome,
  AskOptions,
  ClarificationRequest,
  ElicitationOutcome,
  ElicitationRequest,
  EndedOutcome,
  PendingItem,
  PushReport,
  RunOutcome,
} from '../api.js';
import type { DeviceBook } from '../devices/index.js';
import type { BypassRow, ItemRow } from '../store/index.js';
import { bypassFor } from './bypasses.js';
import { approvalEntry, frozenCall, isShortened } from './freeze-approval.js';
import { clarificationEntry, elicitationEntry } from './freeze-question.js';
import { type Entry, entryOf, type FrozenItem, freezeItem, type Unfrozen } from './frozen-item.js';
import type { Items } from './items.js';
import { elicitationOutcome, endedOutcome, receiptOf } from './outcomes.js';
import type { PushReports } from './push-reports.js';
import { refuse } from './request-checks.js';
import { runApproved } from './run-approved.js';
import type { Secrets } from './secrets.js';
import { decodeDecision } from './stored-decision.js';
import { TEXTS } from './texts.js';
import type { Around, Wording } from './wording.js';

export interface RequestParts {
  readonly core: Core;
  readonly book: DeviceBook;
  readonly items: Items;
  readonly secrets: Secrets;
  readonly wording: Wording;
  readonly pushReports: Pick<PushReports, 'of'>;
}

/** Of a reason a host gives for a failed call, so much is kept. */
const MAX_NOTE_UNITS = 500;

export class Requests {
  readonly #parts: RequestParts;
  #closed = false;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#closed = true;
  }

  async approval(request: ApprovalRequest, options: AskOptions = {}): Promise<ApprovalOutcome> {
    const unfrozen = await this.#describedEntry(request);
    const frozen = await this.#freeze(unfrozen);
    const bypass = options.signal?.aborted ? undefined : bypassFor(this.#parts.core, unfrozen.entry);
    const row = bypass === undefined ? await this.#ask(frozen, options) : this.#bypassed(frozen, bypass);
    return this.#approvalOutcome(row);
  }

  async clarification(request: ClarificationRequest, options: AskOptions = {}): Promise<EndedOutcome> {
    const frozen = await this.#freeze(clarificationEntry(request, this.#context()));
    return endedOutcome(await this.#ask(frozen, options));
  }

  async elicitation(request: ElicitationRequest, options: AskOptions = {}): Promise<ElicitationOutcome> {
    const frozen = await this.#freeze(elicitationEntry(request, this.#context()));
    return this.#elicitationOutcome(await this.#ask(frozen, options));
  }

  /** Waits again. @throws CountersignError `not_found`, `closed`. */
  async reopen(requestId: string, options: AskOptions = {}): Promise<ApprovalOutcome | ElicitationOutcome> {
    this.#checkOpen();
    const row = await this.#parts.items.wait(requestId, options.signal);
    if (row.kind === 'approval') return this.#approvalOutcome(row);
    return row.kind === 'elicitation' ? this.#elicitationOutcome(row) : endedOutcome(row);
  }

  async run<T>(
    request: ApprovalRequest,
    fn: (args: unknown) => Promise<T> | T,
    options: AskOptions = {},
  ): Promise<RunOutcome<T>> {
    return runApproved(await this.approval(request, options), fn);
  }

  pending(): PendingItem[] {
    this.#checkOpen();
    const { core, pushReports } = this.#parts;
    return core.store.tables.items.pending().map((row) => pendingItem(row, pushReports.of(row.requestId)));
  }

  /** Asked and expiring from when it can be shown, not from before its files were read. */
  async #describedEntry(request: ApprovalRequest): Promise<Unfrozen> {
    this.#checkOpen();
    const call = frozenCall(request);
    const words = await this.#parts.wording.words(call.toolName, call.frozen, aroundOf(request));
    if (isShortened(request.summary)) this.#parts.core.log.info('summary_shortened');
    return approvalEntry(request, call, { ...this.#context(), words });
  }

  #context() {
    this.#checkOpen();
    const { core } = this.#parts;
    return { now: Math.floor(core.clock.now()), label: core.label };
  }

  async #freeze(unfrozen: Unfrozen): Promise<FrozenItem> {
    const frozen = await freezeItem(this.#parts.core.namespaceId, unfrozen);
    this.#checkOpen();
    return frozen;
  }

  async #ask(frozen: FrozenItem, { signal, onAsked }: AskOptions): Promise<ItemRow> {
    const { items, book } = this.#parts;
    if (signal?.aborted) return items.addEnded(frozen, 'cancelled', { cancelled: 'aborted' });
    if (!book.hasConfirmed()) return items.addEnded(frozen, 'cancelled', { cancelled: 'no_device' });
    items.add(frozen);
    const ended = items.wait(frozen.requestId, signal);
    try {
      onAsked?.(frozen.requestId);
    } catch (error) {
      // The host lost track of its own request: nobody shall answer it.
      items.end(frozen.requestId, 'cancelled', { cancelled: 'aborted' });
      throw error;
    }
    return ended;
  }

  #bypassed(frozen: FrozenItem, bypass: BypassRow): ItemRow {
    const { items, book, core } = this.#parts;
    const left = bypass.until === null ? 0 : Math.ceil((bypass.until - core.clock.now()) / 1000);
    const by = { deviceId: bypass.device, name: book.nameOf(bypass.device) };
    const scope = bypass.until === null ? ('session' as const) : { forSecs: left };
    const row = items.addEnded(frozen, 'approved', { by, scope, modified: false, bypassed: true });
    core.events.emit('ended', { requestId: row.requestId, status: row.state });
    return row;
  }

  /** The first to get an approval starts it, durably, before anything may run. */
  #approvalOutcome(row: ItemRow): ApprovalOutcome {
    if (row.state !== 'approved' || row.run === 'lapsed' || row.run === 'unknown') return endedOutcome(row);
    const { items, core } = this.#parts;
    const entry = entryOf(row);
    if (row.run !== null || entry === undefined || !core.store.tables.items.start(row.requestId)) {
      return this.#handedOutBefore(items.get(row.requestId));
    }
    core.store.scrub();
    return this.#handOut(row, entry);
  }

  #handOut(row: ItemRow, entry: Entry): ApprovedOutcome {
    const decision = decodeDecision(row.decision);
    const modified = row.runArguments !== null;
    const args: unknown = row.runArguments === null ? entry.arguments : JSON.parse(row.runArguments);
    const changedTo = modified ? this.#describe(String(entry.tool_name), args) : undefined;
    const by = decision.by?.name ?? '';
    const text = decision.bypassed ? TEXTS.bypassed(by) : TEXTS.approved(by, changedTo);
    const asText = !modified && typeof entry.arguments_text === 'string';
    return {
      ...this.#approved(row, text),
      arguments: args,
      ...(asText ? { argumentsText: String(entry.arguments_text) } : {}),
      modified,
    };
  }

  #handedOutBefore(row: ItemRow): ApprovalOutcome {
    if (row.run === 'lapsed' || row.run === 'unknown' || row.run === null) return endedOutcome(row);
    const modified = decodeDecision(row.decision).modified ?? false;
    return {
      ...this.#approved(row, TEXTS.approvedBefore(row.run)),
      arguments: undefined,
      modified,
      earlier: row.run,
    };
  }

  #approved(row: ItemRow, text: string) {
    const decision = decodeDecision(row.decision);
    return {
      requestId: row.requestId,
      status: 'approved' as const,
      text,
      scope: decision.scope ?? ('once' as const),
      by: decision.by ?? { deviceId: '', name: '' },
      ...receiptOf(row),
      done: async () => this.#finish(row.requestId, 'done', null),
      failed: async (reason: string) =>
        this.#finish(row.requestId, 'failed', String(reason).slice(0, MAX_NOTE_UNITS)),
    };
  }

  #finish(requestId: string, run: 'done' | 'failed', note: string | null): void {
    this.#checkOpen();
    this.#parts.core.store.tables.items.finish(requestId, run, note);
  }

  #elicitationOutcome(row: ItemRow): ElicitationOutcome {
    return elicitationOutcome(row, this.#parts.secrets.take(row.requestId));
  }

  #describe(toolName: string, args: unknown): string {
    return this.#parts.wording.summary(toolName, { arguments: args } as FrozenArguments);
  }

  #checkOpen(): void {
    if (this.#closed) throw new CountersignError('closed', 'This agent is closed.');
  }
}

function aroundOf({ cwd, tool }: ApprovalRequest): Around {
  if (cwd !== undefined && (typeof cwd !== 'string' || !isAbsolute(cwd)))
    throw refuse('cwd', 'must be an absolute path');
  return { cwd, tool };
}

function pendingItem(row: ItemRow, pushes: readonly PushReport[]): PendingItem {
  const entry = entryOf(row) ?? {};
  const summary = String(entry.summary ?? entry.question ?? entry.message ?? '');
  return {
    requestId: row.requestId,
    kind: row.kind,
    ...(row.toolName === null ? {} : { toolName: row.toolName }),
    summary,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    text: TEXTS.pending,
    ...(pushes.length === 0 ? {} : { pushes }),
  };
}
