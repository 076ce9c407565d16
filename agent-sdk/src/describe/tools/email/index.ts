/** Tools for mail, under the names that mail servers and toolkits give them. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldBox } from './box.js';
import { toldMail } from './mail.js';

/** Gmail and Outlook servers of MCP, LangChain, Composio, Resend, SendGrid. */
const SEND = [
  ...listOf('sendgrid_send mailgun_send postmark_send ses_send resend_send gmail_send_mail'),
  ...listOf('send_email send_mail email_send send_gmail_message gmail_send gmail_send_email'),
  ...listOf('gmail_send_message gmail_reply_to_thread reply_to_email reply_email reply_to_message'),
  ...listOf('email_reply forward_email gmail_forward_message forward_message outlook_send_email'),
  ...listOf('outlook_send_mail send_outlook_email send_html_email send_email_with_attachment'),
  ...listOf('ses_send_email sendgrid_send_email resend_send_email mail_send compose_email email mail'),
  ...listOf('smtp_send send_transactional_email send_batch_emails send reply send_message'),
  ...listOf('schedule_email send_email_tool gmail_send_draft send_draft'),
];
const DRAFT = [
  ...listOf('draft_email create_draft create_gmail_draft gmail_create_draft gmail_create_email_draft'),
  ...listOf('draft_gmail_message create_email_draft update_draft outlook_create_draft'),
  ...listOf('create_draft_email save_draft gmail_update_draft'),
];

export const emailTools: readonly DescriberEntry[] = [
  ...entries(SEND, toldMail('Send')),
  ...entries(DRAFT, toldMail('Draft')),
  ...toldBox,
];
