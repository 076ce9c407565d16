/**
 * From what a push said, and what this device knows now, to what stands on the screen. Never nothing, and never old
 * text with buttons (04 §3). Pure. Must not know the platform.
 */
import type { Alert, InboxItem } from '@countersign/client-sdk';
import {
  escapeInvisible,
  isSummaryLine,
  shorten,
  summaryLine,
  titleLine,
} from '@countersign/protocol/blocks';
import { LOOK_TAG } from '../push/messages.js';
import type { Say } from './words.js';

export interface Notice {
  readonly title: string;
  readonly body: string;
  /** One per item: a newer notice takes the place of an older one. */
  readonly tag: string;
  readonly buttons: readonly { readonly action: 'approve' | 'reject'; readonly title: string }[];
  /** No sound, no buzz. */
  readonly quiet: boolean;
  /** Comes back with a tap. */
  readonly data: Partial<Record<'pairingId' | 'requestId' | 'summary' | 'ended', string>>;
}

export interface Present {
  /** As this device knows it, after the push was opened. */
  readonly item: InboxItem | undefined;
  readonly badge: number;
  /** How the person calls the agent; undefined: as it calls itself. */
  readonly label: string | undefined;
  /** What stood under the same tag. */
  readonly before: string | undefined;
  readonly now: number;
  /** The person wants it quiet now. */
  readonly isQuiet: boolean;
  /** Buttons are possible here, and the person may decide without looking. */
  readonly takesButtons: boolean;
}

export const APP_NAME = 'Countersign';
/** What an agent may say without asking (03 §3); platforms cut earlier. */
const INFORMATION_LIMIT = { maxCodePoints: 1024, maxBytes: 1024 } as const;

/** A push that could not be opened, or carried nothing: what is known all the same. */
export function unopenedNotice(present: Pick<Present, 'badge' | 'isQuiet'>, say: Say): Notice {
  const body = present.badge > 0 ? say('waiting', present.badge) : say('waiting');
  return { title: APP_NAME, body, tag: LOOK_TAG, buttons: [], quiet: present.isQuiet, data: {} };
}

export function noticeOf(alert: Alert, present: Present, say: Say): Notice {
  const { pairingId, requestId } = alert;
  if (requestId === undefined) return information(alert, present);
  const about = { pairingId, requestId };
  const common = { title: titleOf(alert, present), tag: tagOf(about), data: about };
  const ending = endingOf(alert, present, say);
  if (ending !== undefined) {
    const what = present.before ?? (alert.replaces === undefined ? alert.body : undefined);
    const body = [ending, ...(what === undefined ? [] : [what])].map(summaryLine).join('\n');
    return {
      ...common,
      body,
      buttons: [],
      quiet: true,
      data: { ...about, ended: 'yes', ...(what && { summary: what }) },
    };
  }
  return {
    ...common,
    body: summaryLine(alert.body),
    buttons: mayDecide(alert, present) ? buttons(say) : [],
    quiet: present.isQuiet || (alert.seen && present.before !== undefined),
    data: { ...about, summary: alert.body },
  };
}

export function tagOf({ pairingId, requestId }: { pairingId: string; requestId: string }): string {
  return `item/${pairingId}/${requestId}`;
}

function information(alert: Alert, present: Present): Notice {
  const { pairingId, id, title, body } = alert;
  const from = present.label ?? alert.agentName;
  return {
    title: titleLine(title === from ? title : `${from}: ${title}`),
    body: shorten(escapeInvisible(body), INFORMATION_LIMIT),
    tag: `told/${pairingId}/${id}`,
    buttons: [],
    quiet: present.isQuiet || alert.seen,
    data: { pairingId },
  };
}

/** Why there is nothing to decide any more; undefined while there is. */
function endingOf(alert: Alert, { item, now }: Present, say: Say): string | undefined {
  if (alert.replaces !== undefined) return alert.outcome ?? alert.body;
  if (item !== undefined && item.state !== 'answered') return undefined;
  if (alert.expiresAt !== undefined && alert.expiresAt <= now) return say('expired');
  // An older agent's list, say, which a push may hold too: the item is not kept before the app connects.
  return item === undefined && !alert.seen ? undefined : say('ended');
}

/** Risk is known only once the item came; the tap looks at it again. */
function mayDecide({ itemKind, body }: Alert, { item, takesButtons }: Present): boolean {
  if (!takesButtons || itemKind !== 'approval' || item === undefined) return false;
  // What is not shown just as it is must not be decided by it.
  return item.risk !== 'high' && isSummaryLine(body);
}

function buttons(say: Say): Notice['buttons'] {
  return [
    { action: 'approve', title: say('approve') },
    { action: 'reject', title: say('reject') },
  ];
}

function titleOf({ title }: Alert, { label }: Present): string {
  return titleLine(label ?? title);
}
