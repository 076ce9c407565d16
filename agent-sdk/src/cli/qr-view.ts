/** A QR code on a terminal: whole, or not at all. Must not know what it says. */
import { type Io, styled } from './io.js';

/** Rows for what stands around the code. */
const ROWS_AROUND = 2;
/** Black on white whatever the terminal's own colours are; some scanners refuse the inverse. */
const INK = '\u001b[38;5;16m\u001b[48;5;231m';
const PLAIN = '\u001b[0m';

/** The code ready to print, or the size a terminal must have for it. */
export function fittingQr(text: string, io: Io): { code: string } | { columns: number; rows: number } {
  const lines = text.split('\n').filter((line) => line !== '');
  // Blocks and blanks only: one unit, one column.
  const columns = Math.max(...lines.map((line) => line.length));
  const rows = lines.length + ROWS_AROUND;
  if ((io.stdout.columns ?? 0) < columns || (io.stdout.rows ?? 0) < rows) return { columns, rows };
  if (!styled(io.stdout, io.env)) return { code: lines.join('\n') };
  return { code: lines.map((line) => INK + line.padEnd(columns) + PLAIN).join('\n') };
}
