/** Times and spans in the person's language. Pure but for the language. */
import { formatLocale, t } from './i18n.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];

/** Nearer than this is now: a text that changes every second is only noise. */
const NOW_MS = 45 * SECOND;

/** "5 minutes ago", "in 2 hours". */
export function relativeTime(fromNowMs: number): string {
  if (Math.abs(fromNowMs) < NOW_MS) return t('justNow');
  const [unit, size] = STEPS.find(([, ms]) => Math.abs(fromNowMs) >= ms) ?? ['minute', MINUTE];
  const format = new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'auto', style: 'short' });
  return format.format(Math.round(fromNowMs / size), unit);
}

/** What is left, at the precision a person needs: `4:05` below an hour, then hours, then days. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }
  const [unit, size] = ms >= 2 * DAY ? (['day', DAY] as const) : (['hour', HOUR] as const);
  return unitText(Math.floor(ms / size), unit);
}

function unitText(count: number, unit: 'day' | 'hour' | 'minute'): string {
  return new Intl.NumberFormat(formatLocale(), { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

/** A length of time in whole minutes, hours or days: "15 min". */
export function spanText(seconds: number): string {
  if (seconds % 86_400 === 0) return unitText(seconds / 86_400, 'day');
  if (seconds % 3600 === 0) return unitText(seconds / 3600, 'hour');
  return unitText(Math.ceil(seconds / 60), 'minute');
}

export function dateAndTime(unixMs: number): string {
  const format = new Intl.DateTimeFormat(formatLocale(), { dateStyle: 'medium', timeStyle: 'short' });
  return format.format(unixMs);
}
