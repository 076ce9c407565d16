/** What is done to a mailbox: messages deleted, moved, marked; rules that forward. */

import type { DescriberEntry } from '../../describer.js';
import { end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import type { Given } from '../given.js';
import { peopleIn, peopleRows, peopleSummary } from '../people/recipients.js';
import { count, entries, firstOf, high, listed, normal, shown, type Told } from '../told.js';

const IDS = listOf('message_id message_ids email_id email_ids thread_id thread_ids ids id uid uids');

function toldDelete(given: Given): Told | undefined {
  const ids = given.words(...IDS);
  if (ids.length === 0) return undefined;
  return {
    summary: ['Delete ', ids.length === 1 ? 'email ' : `${count(ids.length, 'email')}: `, ...firstOf(ids)],
    blocks: listed(ids.length === 1 ? 'Email' : count(ids.length, 'email'), ids),
    reasons: [ids.length > 1 ? high(`deletes ${count(ids.length, 'email')}`) : normal('deletes an email')],
  };
}

function toldChange(given: Given): Told | undefined {
  const ids = given.words(...IDS);
  const add = given.words(
    'add_label_ids',
    'add_labels',
    'label_ids',
    'labels',
    'folder',
    'destination_folder',
  );
  const remove = given.words('remove_label_ids', 'remove_labels');
  if (ids.length === 0 || add.length + remove.length === 0) return undefined;
  const gone = add.some((label) => /^(?:trash|spam)$/i.test(label));
  return {
    summary: [
      ids.length === 1 ? 'Change email ' : `Change ${count(ids.length, 'email')} `,
      ...firstOf(ids),
      ...(add.length > 0 ? [': add ', ...firstOf(add)] : []),
      ...(remove.length > 0 ? [add.length > 0 ? ', remove ' : ': remove ', ...firstOf(remove)] : []),
    ],
    blocks: [...listed('Emails', ids), ...listed('Adds', add), ...listed('Removes', remove)],
    reasons: gone ? [normal('moves mail to the trash or to spam')] : [],
  };
}

function toldSearch(given: Given): Told | undefined {
  const query = given.text('query', 'q', 'search_query', 'search');
  return query === undefined
    ? undefined
    : { summary: ['Search mail for ', end(query)], blocks: shown('Words', query), least: 'low' };
}

function toldRead(given: Given): Told | undefined {
  const ids = given.words(...IDS);
  if (ids.length === 0) return undefined;
  return {
    summary: [ids.length === 1 ? 'Read email ' : 'Read emails ', ...firstOf(ids)],
    blocks: listed('Email', ids),
    least: 'low',
  };
}

/** A filter that forwards works for all mail to come. */
function toldFilter(given: Given): Told | undefined {
  const action = given.object('action', 'actions');
  const criteria = given.any('criteria', 'conditions');
  const forwards = peopleIn(
    action?.forward ?? action?.forwardTo ?? given.any('forward', 'forward_to', 'forwarding_email'),
  );
  if (action === undefined && forwards.length === 0) return undefined;
  return {
    summary:
      forwards.length > 0
        ? ['Forward mail from now on to ', ...peopleSummary(forwards)]
        : ['Filter mail from now on: ', end(JSON.stringify(action) ?? '')],
    blocks: [
      ...peopleRows('Forwards to', forwards),
      ...shown('Which mail', criteria === undefined ? undefined : JSON.stringify(criteria, null, 1), 'json'),
      ...shown('What happens', action === undefined ? undefined : JSON.stringify(action, null, 1), 'json'),
    ],
    reasons: [
      forwards.length > 0
        ? high('forwards mail to come to somebody else')
        : normal('works on all mail to come'),
    ],
  };
}

export const toldBox: readonly DescriberEntry[] = [
  ...entries(
    [
      'delete_email',
      'delete_emails',
      'batch_delete_emails',
      'trash_email',
      'gmail_delete_message',
      'gmail_trash_message',
      'delete_message',
      'permanently_delete_email',
    ],
    toldDelete,
  ),
  ...entries(
    [
      'modify_email',
      'batch_modify_emails',
      'modify_labels',
      'gmail_modify_labels',
      'move_email',
      'archive_email',
      'modify_gmail_message_labels',
      'gmail_add_label_to_email',
    ],
    toldChange,
  ),
  ...entries(
    [
      ...listOf('search_emails search_gmail search_gmail_messages gmail_search gmail_search_messages'),
      ...listOf('gmail_fetch_emails search_mail search_messages list_emails gmail_search_threads'),
    ],
    toldSearch,
  ),
  ...entries(
    [
      ...listOf('read_email get_email get_gmail_message get_gmail_thread gmail_get_message'),
      ...listOf('gmail_read_message read_gmail_message get_gmail_message_content gmail_get_thread'),
    ],
    toldRead,
  ),
  ...entries(
    [
      'create_filter',
      'gmail_create_filter',
      'create_mail_rule',
      'create_rule',
      'create_inbox_rule',
      'set_forwarding',
      'gmail_set_forwarding',
      'create_forwarding_address',
    ],
    toldFilter,
  ),
];
