/** Times as people write and read them. Must not know what they bound. */

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNIT_MS;

/** `90s`, `10m`, `24h`, `6d`, also `1h30m`. Milliseconds, or undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const written = text.trim().toLowerCase();
  if (!/^(\d{1,9}[smhd])+$/.test(written)) return undefined;
  const parts = [...written.matchAll(/(\d+)([smhd])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as Unit], 0);
}

/** A clock that runs down: `4:09`, `1:00:00`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / UNIT_MS.s));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (n: number): string => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** In its largest unit: `45 seconds`, `10 minutes`, `1 hour`, `6 days`. */
export function inWords(ms: number): string {
  const distance = Math.abs(ms);
  if (distance < 2 * UNIT_MS.m) return counted(distance / UNIT_MS.s, 'second');
  if (distance < 2 * UNIT_MS.h) return counted(distance / UNIT_MS.m, 'minute');
  if (distance < 2 * UNIT_MS.d) return counted(distance / UNIT_MS.h, 'hour');
  return counted(distance / UNIT_MS.d, 'day');
}

function counted(amount: number, unit: string): string {
  const whole = Math.round(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
