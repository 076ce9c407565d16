/**
 * The plain dialect: lines as text for a terminal, a log of a conversation, a mail. Must not know views.
 *
 * A row begins in the first column; what a value holds beyond its row is indented, so no value can write a row of
 * its own. Taking the indent away gives the value back character for character.
 */
import type { Line } from './linearise.js';

/** Before every line of a value that has lines of its own. */
export const PLAIN_INDENT = '    ';

/** The lines as one text, without a line break at its end. */
export function renderPlain(lines: readonly Line[]): string {
  return lines.map(renderLine).join('\n');
}

function renderLine(line: Line): string {
  if (line.kind === 'text') return line.text.replaceAll('\n', `\n${PLAIN_INDENT}`);
  if (line.kind === 'pre') return underLabel(line.label ?? '', line.text);
  if (line.value.includes('\n')) return underLabel(line.key, line.value);
  return line.value === '' ? `${line.key}:` : `${line.key}: ${line.value}`;
}

function underLabel(label: string, text: string): string {
  const body = text
    .split('\n')
    .map((textLine) => PLAIN_INDENT + textLine)
    .join('\n');
  return label === '' ? body : `${label}:\n${body}`;
}
