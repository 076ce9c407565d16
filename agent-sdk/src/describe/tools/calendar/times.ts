/** Moments as calendar tools write them, in words: the weekday, the time as written, and here. Must not know tools. */
import type { Block } from '@countersign/protocol/blocks';
import { row } from '../../rows.js';
import { asObject } from '../given.js';
import { shown } from '../told.js';

export interface Moment {
  /** As given. */
  readonly text: string;
  readonly zone: string | undefined;
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/;
const LOCAL = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A text, or `{dateTime, timeZone}`, `{date}`. Undefined for anything else or more. */
export function momentOf(value: unknown, zone?: string): Moment | undefined {
  if (typeof value === 'string' && value.trim() !== '') return { text: value, zone };
  const object = asObject(value);
  const text = object?.dateTime ?? object?.date_time ?? object?.datetime ?? object?.date;
  const own = object?.timeZone ?? object?.time_zone ?? object?.timezone;
  const rest = Object.keys(object ?? {}).length - (own === undefined ? 1 : 2);
  if (typeof text !== 'string' || rest !== 0 || (own !== undefined && typeof own !== 'string'))
    return undefined;
  return { text, zone: own ?? zone };
}

/** `Fri 2026-05-01 10:00`, with its offset where it has one; what is no such time stays as it is. */
export function momentWords({ text, zone }: Moment): string {
  const [, year, month, day, hour, minute, offset] = ISO.exec(text.trim()) ?? [];
  if (year === undefined) return text;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const weekday = date.getUTCDate() === Number(day) ? `${DAYS[date.getUTCDay()]} ` : '';
  const time = hour === undefined ? '' : ` ${hour}:${minute}`;
  const where =
    offset === 'Z'
      ? ' UTC'
      : offset !== undefined
        ? ` UTC${offset}`
        : zone === undefined || hour === undefined
          ? ''
          : ` ${zone}`;
  return `${weekday}${year}-${month}-${day}${time}${where}`;
}

/** The row of a moment as given, and in words: its weekday, its zone, and the clock of this machine where it differs. */
export function momentRows(label: string, moment: Moment | undefined): Block[] {
  if (moment === undefined) return [];
  const { text, zone } = moment;
  const iso = ISO.exec(text.trim());
  if (iso === null) return [...shown(label, text), ...shown(`${label} in time zone`, zone)];
  const words = momentWords(moment);
  const here = iso[6] === undefined ? undefined : hereWords(text.trim(), `${iso[4]}:${iso[5]}`);
  const place = zone === undefined || words.endsWith(zone) ? '' : ` (${zone})`;
  return [
    ...shown(label, text, 'datetime'),
    row(`${label} on`, `${words}${place}${here === undefined ? '' : `, here ${here}`}`),
  ];
}

/** Only for a time with an offset: nothing else says which moment it is. */
function hereWords(text: string, clockTime: string): string | undefined {
  const moment = Date.parse(text.replace(' ', 'T'));
  if (Number.isNaN(moment)) return undefined;
  const local = LOCAL.format(moment);
  return local.includes(clockTime) ? undefined : local;
}

/** How long, where both ends are clear; a negative time says so. */
export function lengthWords(start: Moment | undefined, end: Moment | undefined): string | undefined {
  if (
    start === undefined ||
    end === undefined ||
    start.zone !== end.zone ||
    hasOffset(start) !== hasOffset(end)
  )
    return undefined;
  const [from, to] = [clock(start), clock(end)];
  if (from === undefined || to === undefined) return undefined;
  const minutes = Math.round((to - from) / 60_000);
  if (minutes < 0) return 'ends before it begins';
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  return [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : '']
    .filter((part) => part !== '')
    .join(' ');
}

/** Undefined for what is no time; without an offset as if it were UTC, which is fit for a difference only. */
function clock({ text }: Moment): number | undefined {
  const iso = ISO.exec(text.trim());
  if (iso === null) return undefined;
  const floats = iso[4] !== undefined && iso[6] === undefined;
  const value = Date.parse(`${text.trim().replace(' ', 'T')}${floats ? 'Z' : ''}`);
  return Number.isNaN(value) ? undefined : value;
}

function hasOffset({ text }: Moment): boolean {
  return /(?:Z|[+-]\d{2}:?\d{2})$/.test(text.trim().slice(10));
}
