/** Rows of the push outbox in memory as other operations write and end them. Must not know what is pushed. */
import { bytesEqual } from '@countersign/protocol';
import { MAX_REPORTS_PER_AGENT, type NewMessage, type PushReportOutcome } from '../../../ports/index.js';
import type { MemoryDevice, MemoryNamespace, MemoryPush } from './memory-namespace.js';

export interface Ending {
  readonly outcome: PushReportOutcome;
  readonly detail: string;
  readonly now: number;
}

/** What a push goes with, besides its message. */
export interface PushSource {
  readonly seq: number;
  readonly refused: boolean;
  /** A message of the same collapse waited, and whether it may have been pushed. */
  readonly replaced: 'none' | 'unsent' | 'pushed';
}

let nextId = 1;

/** Ends the rows that match; true when the agent has something to be told. */
export function endPushes(
  namespace: MemoryNamespace,
  device: MemoryDevice,
  matches: (push: MemoryPush) => boolean,
  ending: Ending,
): boolean {
  const ended = device.pushes.filter(matches);
  device.pushes = device.pushes.filter((push) => !ended.includes(push));
  const told = ended.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  for (const ref of told) addReport(namespace, device, ref, ending);
  return told.length > 0;
}

/** Writes the push of a message, and ends those it takes the place of. True when the agent has something to be told. */
export function putPush(
  namespace: MemoryNamespace,
  device: MemoryDevice,
  message: NewMessage,
  { seq, refused, replaced }: PushSource,
): boolean {
  const { push, ref, now } = message;
  const collapse = message.hints?.collapse;
  const isEarlier = (other: MemoryPush) => (refused ? other.refused : isSame(other.collapse, collapse));
  const earlier = device.pushes.filter(isEarlier);
  const isUnsent = replaced !== 'pushed' && earlier.every((each) => each.lease === 0 && each.unknowns === 0);
  const isSettled = push?.intent === 'replace' && isUnsent && (earlier.length > 0 || replaced === 'unsent');
  const ending = { outcome: 'superseded', detail: isSettled ? 'settled' : 'newer', now } as const;
  const reported = endPushes(namespace, device, isEarlier, ending);
  if (push === undefined) return reported;
  if (isSettled) {
    if (push.isReported && ref !== undefined) addReport(namespace, device, ref, ending);
    return reported || (push.isReported && ref !== undefined);
  }
  const reportedRef = push.isReported ? ref : undefined;
  // Nobody could be reached by it, and nobody would hear so.
  if (device.registration.provider === undefined && reportedRef === undefined) return reported;
  device.pushes.push({
    id: nextId++,
    intent: refused ? 'wake' : push.intent,
    collapse: collapse?.slice(),
    ref: reportedRef,
    ...{ seq, refused, createdAt: now, dueAt: push.dueAt, expiresAt: push.expiresAt },
    ...{ lease: 0, attempts: 0, unknowns: 0, asWake: false, reason: undefined },
  });
  return reported;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && bytesEqual(a, b);
}

function addReport(
  namespace: MemoryNamespace,
  device: MemoryDevice,
  ref: bigint,
  { outcome, detail, now }: Ending,
): void {
  const id = nextId++;
  namespace.reports.push({ id, ref, peer: device.ed25519, outcome, detail, at: now });
  namespace.reports = namespace.reports.slice(-MAX_REPORTS_PER_AGENT);
}
