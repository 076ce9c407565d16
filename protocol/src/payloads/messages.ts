/**
 * The payloads that are no answers (03 §1–§3): as senders write them, and widened for receivers. Must not know who
 * sends what when.
 */
import { z } from 'zod';
import { escapeInvisible, isSummaryLine, shorten } from '../blocks/index.js';
import { CONTENT, FEATURES } from '../frames/index.js';
import { readSupports } from './features.js';
import { approvalSchema, clarificationSchema, elicitationSchema } from './items.js';
import {
  anyId,
  anyText,
  anyTime,
  anything,
  count,
  id,
  jsonBytes,
  orAbsent,
  shownTitle,
  someText,
  text,
  title,
  unixMs,
  wideObject,
} from './members.js';
import { ITEM_KINDS } from './words.js';

const supports = z.array(z.enum(FEATURES));
const wideSupports = anything.transform(readSupports);

/** A bypass in force, as the agent lists it. */
const bypass = {
  id,
  tool_name: someText,
  session_id: id.optional(),
  /** Null: until the session ends. */
  until: unixMs.nullable(),
  /** Name of the device that gave it. */
  by: text,
};

const deviceInfo = {
  platform: z.enum(['ios', 'android', 'web']),
  model: text.optional(),
  os_version: text.optional(),
  app_version: text.optional(),
  device_name: text.optional(),
};

export const messageShapes = {
  inbox_update: {
    badge: count,
    supports,
    approvals: z.array(approvalSchema),
    clarifications: z.array(clarificationSchema),
    elicitations: z.array(elicitationSchema),
    bypasses: z.array(z.strictObject(bypass)).optional(),
  },
  notification: {
    title,
    body: someText,
    request_id: id.optional(),
    item_kind: z.enum(ITEM_KINDS).optional(),
    badge: count.optional(),
    expires_at: unixMs.optional(),
    replaces: id.optional(),
    outcome: title.optional(),
  },
  hello: { device_info: z.strictObject(deviceInfo), supports, private_previews: z.boolean().optional() },
  inbox_request: { request_id: id.optional(), seen: count.optional(), used: count.optional() },
  logout: {},
  bypass_end: { bypass_id: id },
};

const wideBypass = wideObject(
  {
    id: anyId,
    tool_name: anyText,
    session_id: orAbsent(anyId),
    until: anyTime.nullable().catch(null),
    by: shownTitle.catch(''),
  },
  ['until'],
);

const wideDeviceInfo = wideObject({
  platform: orAbsent(deviceInfo.platform),
  model: orAbsent(shownTitle),
  os_version: orAbsent(shownTitle),
  app_version: orAbsent(shownTitle),
  device_name: orAbsent(shownTitle),
});

/** Texts of notifications are shown as they come out of these: escaped and within the limits. */
export const receivedMessageShapes = {
  /** The lists are read one item at a time (receive.ts). */
  inbox_update: {
    badge: orAbsent(count),
    supports: wideSupports,
    bypasses: z
      .array(z.unknown())
      .optional()
      .catch([])
      .transform((list) => (list ?? []).flatMap((one) => wideBypass.safeParse(one).data ?? [])),
  },
  notification: {
    title: shownTitle,
    body: anyText.transform(shownBody),
    request_id: orAbsent(anyId),
    item_kind: orAbsent(z.enum(ITEM_KINDS)),
    badge: orAbsent(count),
    expires_at: orAbsent(anyTime),
    replaces: orAbsent(anyId),
    outcome: orAbsent(shownTitle),
  },
  hello: {
    device_info: wideDeviceInfo.catch({}),
    supports: wideSupports,
    private_previews: orAbsent(z.boolean()),
  },
  inbox_request: { request_id: orAbsent(anyId), seen: orAbsent(count), used: orAbsent(count) },
  logout: {},
  bypass_end: { bypass_id: anyId },
};

/** What a body may be on the longest of ways: as many characters as bytes are allowed to our own senders. */
const BODY_LIMIT = { maxCodePoints: CONTENT.maxInfoBodyBytes, maxBytes: 4 * CONTENT.maxInfoBodyBytes };

function shownBody(body: string): string {
  return shorten(escapeInvisible(body), BODY_LIMIT);
}

/** Which member of a notification of ours breaks 03 §3, or undefined. */
export function notificationFault(note: { body: string; request_id?: unknown; replaces?: unknown }) {
  const ofItem = note.request_id !== undefined || note.replaces !== undefined;
  const allowed = ofItem ? isSummaryLine(note.body) : jsonBytes(note.body) <= CONTENT.maxInfoBodyBytes;
  return allowed ? undefined : 'body';
}
