/** What an answer amounts to, before it is stored: the parts every kind of item shares. Must not store anything. */
import type { AckStatus } from '@countersign/protocol/payloads';
import type { TrustedDevice } from '../devices/index.js';
import type { BypassRow, ItemRow } from '../store/index.js';
import type { Entry } from './frozen-item.js';
import type { ReceiptCheck } from './receipts.js';
import type { StoredDecision } from './stored-decision.js';

export type Judgement =
  | { readonly refused: Exclude<AckStatus, 'applied'> }
  | {
      readonly state: 'approved' | 'rejected' | 'answered';
      readonly decision: StoredDecision;
      /** Kept beside it; only one that holds. */
      readonly receipt?: ReceiptCheck | undefined;
      readonly runArguments?: Record<string, unknown> | undefined;
      readonly bypass?: BypassRow | undefined;
      readonly loweredToSecs?: number | undefined;
      /** A sensitive answer: for the waiting host alone. */
      readonly secret?: Record<string, unknown> | undefined;
    };

export interface JudgeContext {
  readonly row: ItemRow;
  readonly entry: Entry;
  readonly device: TrustedDevice;
  readonly receipt: ReceiptCheck;
  /** The device got the item whole. */
  readonly whole: boolean;
  readonly now: number;
  readonly policy: DecisionPolicy;
}

export interface DecisionPolicy {
  readonly receipts: 'required' | { readonly optionalFor: readonly string[] };
  readonly bypassCeilingSecs: number | undefined;
}

export const INVALID: Judgement = { refused: 'invalid' };

/**
 * Whether anything but a rejection may come of the answer: it was whole on the device, and it is countersigned, or
 * policy names this device, which never said that it can countersign.
 */
export function mayAct({ device, receipt, whole, policy }: JudgeContext): boolean {
  if (!whole || receipt.state === 'bad') return false;
  if (receipt.state === 'ok') return true;
  const byName =
    policy.receipts !== 'required' &&
    policy.receipts.optionalFor.some((id) => id.toLowerCase() === device.id);
  return byName && !device.features.has('receipts');
}

export function approver(device: TrustedDevice): { by: { deviceId: string; name: string } } {
  return { by: { deviceId: device.id, name: device.name } };
}
