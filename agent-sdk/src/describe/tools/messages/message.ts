/** One message in words: to whom or where, then what it says. */

import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName, plainName } from '../../names.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import {
  and,
  count,
  firstOf,
  hiddenReasons,
  high,
  leakReasons,
  listed,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';

const WHERE = [
  ...listOf('channel channel_id channel_name chat_id to recipient recipients room_id chat_jid user_id'),
  ...listOf('to_number phone_number phone user recipient_id conversation_id number to_phone username'),
  ...listOf('jid target'),
];
const AROUND = ['server', 'guild', 'guild_id', 'server_id', 'team_id', 'workspace'];
const TEXT = [
  ...listOf('text message content payload body msg message_text markdown_text new_content caption'),
  ...listOf('new_text'),
];
const FILES = ['media_path', 'file_path', 'media_url', 'file', 'files', 'attachments', 'photo', 'document'];
const RICH = [
  'blocks',
  'embeds',
  'embed',
  'attachment',
  'components',
  'template',
  'reply_markup',
  'contents',
];
const THREAD = ['thread_ts', 'reply_to', 'reply_to_message_id', 'thread_id', 'parent_id'];
const APPS: readonly (readonly [plain: RegExp, name: string])[] = [
  [/slack/, 'Slack message'],
  [/discord/, 'Discord message'],
  [/telegram/, 'Telegram message'],
  [/whatsapp/, 'WhatsApp message'],
  [/teams/, 'Teams message'],
  [/sms|twilio|text/, 'SMS'],
  [/call/, 'phone call'],
  [/signal/, 'Signal message'],
  [/push|notif/, 'notification'],
];
/** Everybody in a room or a workspace hears it. */
const SHOUTS = /<!(?:channel|here|everyone)>|(?:^|\s)@(?:channel|here|everyone|all)\b/;
const PAID_NUMBER = /^(?:\+|00)?(?:1900|4490|4491|49900|49137)|^0?900|^0137/;

export function toldMessage(given: Given, { toolName }: DescribeContext): Told | undefined {
  // A subject is a mail's.
  if (given.has('subject', 'html', 'html_body', 'bcc', 'cc')) return undefined;
  const text = given.text(...TEXT);
  const files = given.words(...FILES);
  const rich = RICH.filter((name) => given.has(name));
  const where = given.words(...WHERE);
  if (text === undefined && files.length === 0 && rich.length === 0) return undefined;
  if (
    where.length === 0 &&
    !/notif|webhook|broadcast|slack|discord|telegram|teams|sms/.test(plainName(toolName))
  )
    return undefined;
  const message = {
    text,
    files,
    where,
    thread: given.word(...THREAD),
    app: appOf(toolName),
    edits: /edit|update/.test(ownName(toolName)),
  };
  const richRows = rich.flatMap((name) => {
    const value = given.any(name);
    return value === undefined
      ? []
      : [block(name, typeof value === 'string' ? value : jsonText(value, true), 'json')];
  });
  return {
    summary: summaryOf(message),
    blocks: [
      ...listed(where.length > 1 ? `To (${where.length})` : 'To', where),
      ...shown('At', given.word(...AROUND)),
      ...shown('In thread', message.thread),
      ...shown('Text', text, 'text'),
      ...richRows,
      ...listed(count(files.length, 'file'), files),
      ...watchOut([text]),
    ],
    reasons: reasonsOf(message),
  };
}

interface Message {
  readonly text: string | undefined;
  readonly files: readonly string[];
  readonly where: readonly string[];
  readonly thread: string | undefined;
  readonly app: string;
  readonly edits: boolean;
}

function appOf(toolName: string): string {
  const name = plainName(toolName.slice(0, 200));
  return APPS.find(([expression]) => expression.test(name))?.[1] ?? 'message';
}

function summaryOf({ text, files, where, thread, app, edits }: Message): SummaryPart[] {
  const verb = edits
    ? `Change ${app}`
    : app === 'phone call'
      ? 'Make a phone call'
      : thread !== undefined
        ? `Answer by ${app}`
        : `Send ${app}`;
  return [
    verb,
    ...(where.length > 0 ? [edits ? ' in ' : ' to ', ...firstOf(where)] : []),
    ...(files.length > 0
      ? [' with ', middle(files[0] ?? ''), ...(files.length > 1 ? [` +${files.length - 1}`] : [])]
      : []),
    ...and(': ', text),
  ];
}

function reasonsOf({ text, files, where, app, edits }: Message): Reason[] {
  return [
    ...(SHOUTS.test((text ?? '').slice(0, 100_000)) ? [normal('calls everybody in the room')] : []),
    ...files.filter(isSecretFile).map((path) => high(`sends ${path}, which holds secrets`)),
    ...(where.length > 5 ? [normal(`goes to ${count(where.length, 'receiver')}`)] : []),
    ...((app === 'SMS' || app === 'phone call') &&
    where.some((one) => PAID_NUMBER.test(one.replace(/[\s()-]/g, '').slice(0, 30)))
      ? [high('the number may cost money for each call')]
      : []),
    normal(edits ? 'changes what others have read' : 'others read it in your name'),
    ...leakReasons([text]),
    ...hiddenReasons([text]),
  ];
}
