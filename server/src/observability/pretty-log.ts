/**
 * Log lines for a person at a terminal: time, level, event, facts. A line that is not one of ours passes unchanged.
 * Must not know events.
 */

interface Destination {
  write(line: string): void;
}

const RESET = '\u001b[0m';
/** pino's numbers: the word, and the colour of the terminal it is written in. */
const LEVELS: Readonly<Record<number, readonly [word: string, color: string]>> = {
  20: ['debug', '\u001b[2m'],
  30: ['info ', '\u001b[32m'],
  40: ['warn ', '\u001b[33m'],
  50: ['error', '\u001b[31m'],
};
const EVENT_COLUMNS = 17;
const TIME = /T(\d{2}:\d{2}:\d{2})\.\d{3}Z$/;

/** JSON lines in, one short line each out. */
export function prettyLog(destination: Destination, color: boolean): Destination {
  return { write: (line) => destination.write(pretty(line, color)) };
}

function pretty(line: string, color: boolean): string {
  const entry = parse(line);
  if (entry === undefined) return line;
  const { level, time, event, msg, ...facts } = entry;
  const [word, paint] = LEVELS[Number(level)] ?? ['     ', ''];
  const [, clock = ''] = TIME.exec(String(time)) ?? [];
  const said = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  if (typeof msg === 'string') said.push(`(${msg})`);
  const shown = color ? `${paint}${word}${RESET}` : word;
  return `${`${clock} ${shown} ${String(event).padEnd(EVENT_COLUMNS)} ${said.join(' ')}`.trimEnd()}\n`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'event' in value
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
