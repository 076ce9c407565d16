/** An event made or changed: when, what, with whom. */
import { jsonText } from '@countersign/protocol/blocks';
import { end, type SummaryPart } from '../../describer.js';
import { row } from '../../rows.js';
import type { Given } from '../given.js';
import { peopleIn, peopleReasons, peopleRows, peopleSummary, peopleWarnings } from '../people/recipients.js';
import {
  and,
  count,
  hiddenReasons,
  listed,
  normal,
  type Reason,
  shown,
  type Tell,
  type Told,
  watchOut,
} from '../told.js';
import { lengthWords, type Moment, momentOf, momentRows, momentWords } from './times.js';

const TITLE = ['summary', 'title', 'subject', 'event_title', 'event_name', 'event_summary', 'name', 'topic'];
const START = [
  'start',
  'start_time',
  'start_datetime',
  'start_date_time',
  'start_date',
  'new_start',
  'when',
  'new_start_time',
];
const END = ['end', 'end_time', 'end_datetime', 'end_date_time', 'end_date', 'new_end', 'new_end_time'];
const ZONE = ['timezone', 'time_zone', 'start_timezone'];
const GUESTS = [
  'attendees',
  'guests',
  'participants',
  'invitees',
  'attendee_emails',
  'required_attendees',
  'attendees_emails',
];
const TEXT = ['description', 'body', 'notes', 'content', 'event_description', 'details', 'agenda'];
const PLACE = ['location', 'place', 'venue', 'room'];
const CALENDAR = ['calendar_id', 'calendar', 'calendar_name'];
const IDS = ['event_id', 'id', 'meeting_id'];

interface Event {
  readonly title: string | undefined;
  readonly start: Moment | undefined;
  readonly finish: Moment | undefined;
  readonly guests: readonly string[];
  readonly text: string | undefined;
  readonly place: string | undefined;
  readonly calendar: string | undefined;
  readonly id: string | undefined;
  readonly repeats: readonly string[];
  readonly tells: string | undefined;
}

export function toldEvent(verb: 'Create' | 'Change'): Tell {
  return (given) => {
    const event = readEvent(given);
    if (verb === 'Create' && event.title === undefined && event.start === undefined) return undefined;
    if (verb === 'Change' && event.id === undefined && event.title === undefined) return undefined;
    return told(verb, event);
  };
}

function readEvent(given: Given): Event {
  const zone = given.text(...ZONE);
  const [start, finish] = [momentIn(given, START, zone), momentIn(given, END, zone)];
  return {
    ...{ start, finish, title: given.text(...TITLE), text: given.text(...TEXT), place: given.text(...PLACE) },
    ...{ guests: peopleIn(given.any(...GUESTS)), calendar: given.text(...CALENDAR), id: given.word(...IDS) },
    repeats: repeatsIn(given),
    tells: given.word('send_updates', 'send_notifications', 'sendInvitations', 'send_invites'),
  };
}

/** Rules (RFC 5545), one or several; an object as JSON. */
function repeatsIn(given: Given): readonly string[] {
  const names = ['recurrence', 'recurrence_rule', 'rrule', 'repeat'];
  const words = given.words(...names);
  const rule = words.length > 0 ? undefined : given.object(...names);
  return rule === undefined ? words : [jsonText(rule)];
}

/** Read only when it can be told. */
export function momentIn(given: Given, names: readonly string[], zone?: string): Moment | undefined {
  const text = given.text(...names);
  if (text !== undefined) return momentOf(text, zone);
  const name = names.find((one) => momentOf(given.args[one]) !== undefined);
  return name === undefined ? undefined : momentOf(given.any(name), zone);
}

function told(verb: 'Create' | 'Change', event: Event): Told {
  const { title, start, finish, guests, text, place, calendar, id, repeats, tells } = event;
  return {
    summary: summaryOf(verb, event),
    blocks: [
      ...[
        ...shown('Title', title),
        ...shown('Event', id),
        ...momentRows('Starts', start),
        ...momentRows('Ends', finish),
      ],
      ...shown('Lasts', lengthWords(start, finish) || undefined),
      ...listed('Repeats', repeats),
      ...peopleRows('Guests', guests),
      ...peopleWarnings(guests),
      ...[...shown('Place', place), ...shown('Text', text, 'text'), ...watchOut([title, text])],
      ...(calendar === undefined ? [] : [row('Calendar', calendar)]),
      ...shown('Tells guests', tells),
    ],
    reasons: reasonsOf(verb, event),
  };
}

function summaryOf(verb: 'Create' | 'Change', { title, start, guests, id, repeats }: Event): SummaryPart[] {
  const what = title ?? id;
  return [
    `${verb} event `,
    ...(what === undefined ? [] : [end(what)]),
    ...and(verb === 'Create' ? ', ' : ' to ', start === undefined ? undefined : momentWords(start)),
    ...(repeats.length > 0 ? [', repeated'] : []),
    ...(guests.length > 0 ? [', with ', ...peopleSummary(guests)] : []),
  ];
}

function reasonsOf(verb: 'Create' | 'Change', { guests, repeats, title, text }: Event): Reason[] {
  return [
    ...(guests.length > 0 ? [normal(`invites ${count(guests.length, 'guest')}`)] : []),
    ...(repeats.length > 0 ? [normal('repeats')] : []),
    ...(verb === 'Change' ? [normal('changes an event that is there')] : []),
    ...peopleReasons(guests),
    ...hiddenReasons([title, text]),
  ];
}
