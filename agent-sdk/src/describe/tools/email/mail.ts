/** One mail in words: who gets it, then what it says and carries. */

import { type Block, jsonText } from '@countersign/protocol/blocks';
import type { JsonObject } from '../../call.js';
import { type DescribeContext, end, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import { block, valueRow } from '../../rows.js';
import { asObject, Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import { peopleIn, peopleReasons, peopleRows, peopleSummary, peopleWarnings } from '../people/recipients.js';
import {
  count,
  hiddenReasons,
  high,
  leakReasons,
  normal,
  type Reason,
  shown,
  type Tell,
  type Told,
  watchOut,
} from '../told.js';

const TO = [
  ...listOf('to recipient recipients to_recipients recipient_email to_email to_address email_to'),
  ...listOf('to_addresses'),
];
const CC = ['cc', 'cc_recipients', 'cc_emails', 'cc_addresses'];
const BCC = ['bcc', 'bcc_recipients', 'bcc_emails', 'bcc_addresses'];
const FROM = ['from', 'from_email', 'sender', 'from_address', 'user_google_email', 'send_as'];
const SUBJECT = ['subject', 'title', 'email_subject'];
const BODY = listOf('body message text content message_body plain_text body_text email_body comment');
const HTML = ['html', 'html_body', 'body_html', 'html_content'];
const FILES = ['attachments', 'attachment', 'files', 'attachment_paths', 'file_paths', 'attachment_path'];
const THREAD = ['thread_id', 'message_id', 'in_reply_to', 'email_id', 'draft_id', 'conversation_id', 'id'];

interface Mail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string | undefined;
  readonly body: string | undefined;
  readonly html: string | undefined;
  readonly files: readonly string[];
  /** Attachments that come with their content. */
  readonly carried: readonly JsonObject[];
  readonly thread: string | undefined;
  readonly from: readonly string[];
}

export function toldMail(verb: 'Send' | 'Draft'): Tell {
  return (given, context) => {
    const mail = readMail(given) ?? graphMail(given);
    return mail === undefined ? undefined : told(verb, mail, context);
  };
}

function readMail(given: Given): Mail | undefined {
  if (!given.has(...TO, ...BCC) && !(given.has(...THREAD) && given.has(...BODY, ...HTML))) return undefined;
  const to = peopleIn(given.any(...TO));
  const [cc, bcc] = [peopleIn(given.any(...CC)), peopleIn(given.any(...BCC))];
  const html = given.text(...HTML);
  const nested = asObject(given.args.body);
  const mail = {
    ...{ to, cc, bcc, html, subject: given.text(...SUBJECT), thread: given.word(...THREAD) },
    body: nested === undefined ? given.text(...BODY) : jsonText(given.any('body'), true),
    ...filesIn(given.any(...FILES)),
    from: peopleIn(given.any(...FROM)),
  };
  // `send` and `message` are common words: a mail says what it says, or is about something.
  const isMail =
    mail.subject !== undefined ||
    html !== undefined ||
    [...to, ...cc, ...bcc].some((one) => one.includes('@'));
  return isMail || mail.thread !== undefined ? mail : undefined;
}

/** Microsoft Graph: `{message: {subject, body: {contentType, content}, toRecipients: […]}}`. */
function graphMail(given: Given): Mail | undefined {
  const message = asObject(given.args.message) ?? asObject(given.args.Message);
  if (message === undefined) return undefined;
  const inner = new Given(message);
  const body = asObject(inner.object('body'));
  const mail = readMail(inner);
  if (mail === undefined) return undefined;
  given.any('message');
  const content = typeof body?.content === 'string' ? body.content : undefined;
  const left = leftOver(message, inner, body);
  const isHtml = /html/i.test(String(body?.contentType ?? ''));
  return {
    ...mail,
    body: isHtml ? left : joined(content ?? mail.body, left),
    html: isHtml ? content : mail.html,
  };
}

/** Members of the message that nothing here shows. */
function leftOver(message: JsonObject, inner: Given, body: JsonObject | undefined): string | undefined {
  const rest = Object.keys(message).filter((name) => !inner.used.includes(name));
  const odd = Object.keys(body ?? {}).filter((name) => name !== 'content' && name !== 'contentType');
  if (rest.length === 0 && odd.length === 0) return undefined;
  return jsonText(
    Object.fromEntries([...rest, ...(odd.length > 0 ? ['body'] : [])].map((name) => [name, message[name]])),
    true,
  );
}

function joined(...texts: (string | undefined)[]): string | undefined {
  const there = texts.filter((text) => text !== undefined);
  return there.length === 0 ? undefined : there.join('\n');
}

function told(verb: 'Send' | 'Draft', mail: Mail, context: DescribeContext): Told {
  const all = [...mail.to, ...mail.cc, ...mail.bcc];
  return {
    summary: summaryOf(verb, mail, ownName(context.toolName)),
    blocks: [
      ...[...peopleRows('To', mail.to), ...peopleRows('Cc', mail.cc), ...peopleRows('Bcc', mail.bcc)],
      ...peopleRows('From', mail.from),
      ...peopleWarnings(all),
      ...shown('Subject', mail.subject),
      ...bodyRows(mail),
      ...shown(
        count(mail.files.length, 'attachment'),
        mail.files.length === 0 ? undefined : mail.files.join('\n'),
        'text',
      ),
      ...(mail.carried.length === 0 ? [] : [block('Attached', jsonText(mail.carried, true), 'json')]),
      ...shown('Answers', mail.thread),
    ],
    reasons: reasonsOf(verb, mail, all),
  };
}

function summaryOf(verb: 'Send' | 'Draft', mail: Mail, name: string): SummaryPart[] {
  const { to, cc, bcc, subject, body, files } = mail;
  const forwards = name.includes('forward');
  const kind = forwards
    ? 'Forward email to '
    : to.length === 0 && mail.thread !== undefined
      ? `${verb} an answer to `
      : `${verb} email to `;
  const whom = to.length > 0 ? to : [...cc, ...bcc];
  const hidden = to.length > 0 ? cc.length + bcc.length : 0;
  return [
    kind,
    ...(whom.length > 0 ? peopleSummary(whom) : mail.thread === undefined ? ['nobody'] : [end(mail.thread)]),
    ...(hidden > 0 ? [` +${hidden} in copy`] : []),
    ...(files.length > 0 ? [` with ${count(files.length, 'attachment')}`] : []),
    ...(subject !== undefined ? [': ', end(subject)] : body !== undefined ? [': ', end(body)] : []),
  ];
}

function bodyRows({ body, html }: Mail): Block[] {
  return [
    ...(body === undefined ? [] : [valueRow('Text', { value: body, value_type: 'text' })]),
    ...(html === undefined ? [] : [block('HTML', html, 'code', 'html')]),
    ...watchOut([body, html]),
  ];
}

function reasonsOf(
  verb: 'Send' | 'Draft',
  { files, bcc, subject, body, html }: Mail,
  all: readonly string[],
): Reason[] {
  return [
    ...peopleReasons(all),
    ...files.filter(isSecretFile).map((path) => high(`sends ${path}, which holds secrets`)),
    ...(files.length > 0 ? [normal(`carries ${count(files.length, 'attachment')}`)] : []),
    ...(bcc.length > 0 ? [normal('has receivers the others do not see')] : []),
    ...leakReasons([subject, body, html]),
    ...hiddenReasons([subject, body, html]),
    ...(verb === 'Send' ? [normal('mail cannot be taken back')] : []),
  ];
}

/** Paths, names, or objects that carry the content. */
function filesIn(value: unknown): Pick<Mail, 'files' | 'carried'> {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const carried = list.map(asObject).filter((one) => one !== undefined);
  return {
    files: list.map((one) => {
      const object = asObject(one);
      return typeof one === 'string' ? one : object === undefined ? jsonText(one) : nameOf(object);
    }),
    carried,
  };
}

function nameOf(file: JsonObject): string {
  const name = [file.filename, file.name, file.path, file.file_name, file.url].find(
    (one) => typeof one === 'string',
  );
  return name === undefined ? 'without a name' : String(name);
}
