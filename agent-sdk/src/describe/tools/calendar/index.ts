/** Tools for calendars, under the names that Google's and Microsoft's servers and toolkits give them. */

import type { DescriberEntry } from '../../describer.js';
import { end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import type { Given } from '../given.js';
import { count, entries, firstOf, high, listed, normal, shown, type Told } from '../told.js';
import { momentIn, toldEvent } from './event.js';
import { momentRows } from './times.js';

const CREATE = [
  ...listOf('create_event create_calendar_event add_event add_calendar_event calendar_create_event'),
  ...listOf('new_event googlecalendar_create_event google_calendar_create_event outlook_create_event'),
  ...listOf('create_outlook_event schedule_meeting schedule_event book_meeting create_meeting'),
  ...listOf('insert_event send_event add_an_event create_recurring_event create_google_calendar_event'),
  ...listOf('outlook_calendar_create_event book_appointment create_appointment schedule_appointment'),
  ...listOf('gcal_create_event'),
];
const UPDATE = [
  ...listOf('update_event update_calendar_event modify_event edit_event calendar_update_event'),
  ...listOf('patch_event googlecalendar_update_event outlook_update_event reschedule_event move_event'),
  ...listOf('move_calendar_event update_meeting reschedule_meeting google_calendar_update_event'),
  ...listOf('gcal_update_event'),
];
const DELETE = [
  ...listOf('delete_event delete_calendar_event cancel_event remove_event calendar_delete_event'),
  ...listOf('cancel_meeting googlecalendar_delete_event outlook_delete_event'),
  ...listOf('google_calendar_delete_event gcal_delete_event delete_events remove_calendar_event'),
];
const ANSWER = [
  'respond_to_event',
  'gcal_respond_to_event',
  'rsvp',
  'respond_to_invitation',
  'accept_event',
  'decline_event',
];
const LOOK = [
  ...listOf('list_events search_events get_events list_calendar_events search_calendar_events'),
  ...listOf('get_event get_freebusy find_free_time googlecalendar_find_event gcal_list_events'),
  ...listOf('query_free_busy get_calendar_event list_calendars gcal_find_my_free_time'),
  ...listOf('find_meeting_times'),
];

const EVENT_IDS = ['event_id', 'event_ids', 'id', 'meeting_id'];
const CALENDAR = ['calendar_id', 'calendar', 'calendar_name'];

function toldDelete(given: Given): Told | undefined {
  const ids = given.words(...EVENT_IDS);
  const title = given.text('summary', 'title', 'subject', 'query');
  if (ids.length === 0 && title === undefined) return undefined;
  const calendar = given.text(...CALENDAR);
  const tells = given.word('send_updates', 'sendNotifications', 'send_notifications');
  return {
    summary: [
      ids.length > 1 ? `Delete ${count(ids.length, 'event')}: ` : 'Delete event ',
      ...(title === undefined ? firstOf(ids) : [end(title)]),
      ...(calendar === undefined || calendar === 'primary' ? [] : [' from calendar ', end(calendar)]),
    ],
    blocks: [
      ...shown('Title', title),
      ...listed('Event', ids),
      ...shown('Calendar', calendar),
      ...shown('Tells guests', tells),
    ],
    reasons: [ids.length > 1 ? high(`deletes ${count(ids.length, 'event')}`) : normal('deletes an event')],
  };
}

function toldAnswer(given: Given, { toolName }: { toolName: string }): Told | undefined {
  const ids = given.words(...EVENT_IDS);
  const said =
    given.text('response', 'response_status', 'status', 'answer') ?? /(accept|decline)/.exec(toolName)?.[1];
  if (ids.length === 0 || said === undefined) return undefined;
  const comment = given.text('comment', 'message', 'note');
  return {
    summary: ['Answer ', end(said), ' to invitation ', ...firstOf(ids)],
    blocks: [...shown('Answer', said), ...listed('Event', ids), ...shown('Comment', comment, 'text')],
  };
}

function toldLook(given: Given): Told | undefined {
  const words = given.text('query', 'q', 'search', 'event_id');
  const from = momentIn(given, [
    'time_min',
    'timeMin',
    'start',
    'start_date',
    'from',
    'start_time',
    'start_datetime',
  ]);
  const to = momentIn(given, ['time_max', 'timeMax', 'end', 'end_date', 'to', 'end_time', 'end_datetime']);
  return {
    summary: ['Look into the calendar', ...(words === undefined ? [] : [' for ', end(words)])],
    blocks: [...shown('For', words), ...momentRows('From', from), ...momentRows('To', to)],
    least: 'low',
  };
}

export const calendarTools: readonly DescriberEntry[] = [
  ...entries(CREATE, toldEvent('Create')),
  ...entries(UPDATE, toldEvent('Change')),
  ...entries(DELETE, toldDelete),
  ...entries(ANSWER, toldAnswer),
  ...entries(LOOK, toldLook),
];
