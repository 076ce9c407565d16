/** A point in time as it reads where the person is. Pure but for their language and zone. */
import { formatLocale } from '../../i18n/i18n.js';

/** RFC 3339 with its zone: without one nobody knows which moment is meant. */
const MOMENT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Undefined for anything that is no moment: then the original alone is shown. */
export function localTime(text: string, timeZone?: string): string | undefined {
  const trimmed = text.trim();
  if (!MOMENT.test(trimmed)) return undefined;
  const date = new Date(trimmed.replace(' ', 'T'));
  if (Number.isNaN(date.getTime())) return undefined;
  const format = new Intl.DateTimeFormat(formatLocale(), {
    dateStyle: 'full',
    timeStyle: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  return format.format(date);
}
