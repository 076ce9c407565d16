/**
 * Answers of devices, from arrival to ack (03 §5): judged outside, applied by one conditional write in the receive
 * transaction, acked always the same way. Must not know what hosts do with a decision.
 */
import { utf8 } from '@countersign/protocol';
import {
  ANSWERED_KIND,
  type AnswerKind,
  judgeTimestamp,
  type ReceivedApprovalResponse,
  type ReceivedClarificationResponse,
  type ReceivedElicitationResponse,
} from '@countersign/protocol/payloads';
import type { Core } from '../agent/core.js';
import type { TrustedDevice } from '../devices/index.js';
import type { ItemRow, Tables } from '../store/index.js';
import type { AckBody, Acks } from './acks.js';
import { type Entry, entryOf } from './frozen-item.js';
import type { Items } from './items.js';
import { judgeApprovalAnswer, judgeClarificationAnswer, judgeElicitationAnswer } from './judge-answers.js';
import type { DecisionPolicy, Judgement } from './judgement.js';
import { checkReceipt } from './receipts.js';
import { present } from './request-checks.js';
import type { Secrets } from './secrets.js';
import { decodeDecision, encodeDecision } from './stored-decision.js';

export type Answer = ReceivedApprovalResponse | ReceivedClarificationResponse | ReceivedElicitationResponse;

/** An answer as far as it can be named; `payload` is absent when its kind's schema refuses it. */
export interface ArrivedAnswer {
  readonly kind: AnswerKind;
  readonly id: string;
  readonly requestId: string;
  readonly payload?: Answer | undefined;
  /** As parsed, before any schema. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** What a payload does: `apply` in the receive transaction, `after` once that is durable. */
export interface Prepared {
  apply(tables: Tables): void;
  after(): Promise<void>;
}

export interface DecisionParts {
  readonly core: Core;
  readonly items: Items;
  readonly acks: Acks;
  readonly secrets: Secrets;
  readonly policy: DecisionPolicy;
}

export class Decisions {
  readonly #parts: DecisionParts;

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Judges; nothing is changed until `apply`. */
  async prepare(device: TrustedDevice, answer: ArrivedAnswer): Promise<Prepared> {
    const judgement = await this.#judge(device, answer);
    let ack: AckBody | undefined;
    let applied = false;
    return {
      apply: (tables) => {
        const first = tables.answers.get(device.id, answer.id);
        if (first !== undefined) {
          ack = JSON.parse(first) as AckBody;
          return;
        }
        applied = 'state' in judgement && this.#write(tables, answer.requestId, judgement);
        ack = this.#ackOf(tables, answer, judgement, applied);
        tables.answers.put(device.id, answer.id, JSON.stringify(ack), this.#parts.core.clock.now());
      },
      after: async () => {
        if (applied) this.#settle(answer.requestId, device, judgement);
        if (ack !== undefined) await this.#parts.acks.send(device, ack);
      },
    };
  }

  async #judge(device: TrustedDevice, answer: ArrivedAnswer): Promise<Judgement> {
    const { core } = this.#parts;
    const now = core.clock.now();
    const ts = answer.payload?.ts;
    if (ts !== undefined && judgeTimestamp(answer.kind, ts, now) === 'expired') return { refused: 'expired' };
    const row = core.store.tables.items.get(answer.requestId);
    if (row === undefined) return { refused: 'unknown' };
    if (row.kind !== ANSWERED_KIND[answer.kind]) return { refused: 'invalid' };
    if (row.state !== 'pending') return { refused: row.state === 'expired' ? 'expired' : 'already_decided' };
    if (row.expiresAt <= now) {
      this.#parts.items.expire();
      return { refused: 'expired' };
    }
    const entry = entryOf(row);
    if (answer.payload === undefined || entry === undefined) return { refused: 'invalid' };
    return this.#judgeOpen(device, answer.payload, answer.raw, row, entry);
  }

  async #judgeOpen(
    device: TrustedDevice,
    payload: Answer,
    raw: Readonly<Record<string, unknown>>,
    row: ItemRow,
    entry: Entry,
  ): Promise<Judgement> {
    const { core, policy } = this.#parts;
    const whole = core.store.tables.itemDevices.isWhole(row.requestId, device.id);
    const receipt = await checkReceipt(raw, {
      namespaceId: core.namespaceId,
      device: device.id,
      kind: row.kind,
      requestId: row.requestId,
      digests: [row.digest, row.detailDigest],
      sensitiveFields: row.sensitive === 1 ? contentNames(raw) : [],
    });
    const now = core.clock.now();
    const context = { row, entry, device, receipt, whole, now, policy };
    switch (payload.kind) {
      case 'approval_response':
        return judgeApprovalAnswer(payload, context);
      case 'clarification_response':
        return judgeClarificationAnswer(payload, context);
      case 'elicitation_response':
        return judgeElicitationAnswer(payload, context);
    }
  }

  /** The one conditional write: true for the first decision alone. */
  #write(tables: Tables, requestId: string, judgement: Extract<Judgement, { state: string }>): boolean {
    const { receipt, runArguments, bypass } = judgement;
    const ended = tables.items.end(requestId, {
      state: judgement.state,
      at: this.#parts.core.clock.now(),
      decision: encodeDecision(judgement.decision),
      receipt: receipt?.state === 'ok' ? JSON.stringify(receipt.receipt) : undefined,
      runArguments: runArguments === undefined ? undefined : JSON.stringify(runArguments),
    });
    if (ended && bypass !== undefined) tables.bypasses.insert(bypass);
    return ended;
  }

  #ackOf(tables: Tables, answer: ArrivedAnswer, judgement: Judgement, applied: boolean): AckBody {
    const base = { ref_id: answer.id, request_id: answer.requestId };
    if ('refused' in judgement && (judgement.refused === 'invalid' || judgement.refused === 'unknown')) {
      return { ...base, status: judgement.refused };
    }
    const row = tables.items.get(answer.requestId);
    const now = Math.floor(this.#parts.core.clock.now());
    if ('refused' in judgement && judgement.refused === 'expired') {
      const outcome = row === undefined || row.state === 'pending' ? undefined : row.state;
      return present({ ...base, status: 'expired' as const, outcome, now }) as AckBody;
    }
    const by = row === undefined ? undefined : decodeDecision(row.decision).by?.name;
    const outcome = row === undefined || row.state === 'pending' ? undefined : row.state;
    const status = applied ? ('applied' as const) : ('already_decided' as const);
    const bypass_secs = applied && 'state' in judgement ? judgement.loweredToSecs : undefined;
    return present({ ...base, status, outcome, by, now, bypass_secs }) as AckBody;
  }

  #settle(requestId: string, device: TrustedDevice, judgement: Judgement): void {
    if ('secret' in judgement && judgement.secret !== undefined) {
      this.#parts.secrets.keep(requestId, utf8(JSON.stringify(judgement.secret)));
    }
    this.#parts.items.settled(requestId, device.id);
  }
}

function contentNames(raw: Readonly<Record<string, unknown>>): string[] {
  const { content } = raw;
  return typeof content === 'object' && content !== null ? Object.keys(content) : [];
}
