/** What a person sees: tables, QR codes, refusals. */
import { CountersignError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { qrCode } from '../devices/qr.js';
import { explain, explainError } from './advice.js';
import { CliError } from './exit-codes.js';
import type { Io } from './io.js';
import { fittingQr } from './qr-view.js';
import { table } from './table.js';

const terminal = (columns: number, rows: number, env: Record<string, string> = {}): Io =>
  ({ stdout: { isTTY: true, columns, rows }, env }) as unknown as Io;

describe('a table', () => {
  it('aligns its columns, wide characters too', () => {
    expect(
      table(
        ['NAME', 'ID'],
        [
          ['Ann', '1'],
          ['电话', '2'],
          ['🍎', '3'],
        ],
      ),
    ).toEqual(['NAME  ID', 'Ann   1', '电话  2', '🍎    3']);
  });
});

describe('a QR code', () => {
  const link = `https://relay.example/app/#p=${'A'.repeat(210)}`;
  const size = async (): Promise<{ columns: number; rows: number }> => {
    const fitting = fittingQr((await qrCode(link, 'terminal')) as string, terminal(0, 0));
    if ('code' in fitting) throw new Error('it cannot fit');
    return fitting;
  };

  it('is shown whole where it just fits', async () => {
    const { columns, rows } = await size();
    const shown = fittingQr(
      (await qrCode(link, 'terminal')) as string,
      terminal(columns, rows, { NO_COLOR: '1' }),
    );
    expect(shown).toEqual({ code: expect.stringContaining('█▀▀▀▀▀█') });
    expect(JSON.stringify(shown)).not.toContain('\\u001b');
  });

  it('is black on white where colours are shown', async () => {
    const { columns, rows } = await size();
    const shown = fittingQr((await qrCode(link, 'terminal')) as string, terminal(columns, rows));
    const lines = 'code' in shown ? shown.code.split('\n') : [];
    expect(
      lines.every((line) => line.startsWith('\u001b[38;5;16m\u001b[48;5;231m') && line.endsWith('\u001b[0m')),
    ).toBe(true);
  });

  it.each([
    [-1, 0],
    [0, -1],
  ])('is never shown in part (%d columns, %d rows too few)', async (columns, rows) => {
    const needed = await size();
    const text = (await qrCode(link, 'terminal')) as string;
    expect(fittingQr(text, terminal(needed.columns + columns, needed.rows + rows))).toEqual(needed);
  });
});

describe('a refusal', () => {
  it.each([
    ['unauthorized', 'countersign relay invite'],
    ['unauthorized', 'countersign pair --dir x --invite CODE'],
    ['tls', 'countersign pair --dir x --ca FILE'],
    ['unreachable', 'countersign relay'],
    ['not_found', 'countersign pair --dir x'],
    ['no_device', 'countersign pair --dir x'],
    ['clock_skew', 'Set the clock'],
    ['queue_full', 'Open the app'],
  ])('with %s says what to do: %s', (code, step) => {
    expect(explain(code, 'What happened.', ' --dir x').join('\n')).toContain(step);
  });

  it('without an advice is its own sentence', () => {
    expect(explain('__proto__', 'What happened.', '')).toEqual(['What happened.']);
    expect(explainError(new CliError(2, 'Wrong.'), '')).toEqual(['Wrong.']);
    expect(explainError(new CliError(130, ''), '')).toEqual([]);
  });

  it('names the problem behind a timeout', () => {
    const error = new CountersignError('timeout', 'Not connected.', { details: { problem: 'unauthorized' } });
    expect(explainError(error, '').join('\n')).toContain('countersign relay invite');
  });

  it('hides nothing and tells nothing of an unknown error', () => {
    expect(explain('x', 'a\u001b[2Jb\u202e', '')).toEqual(['a⟨U+001B⟩[2Jb⟨U+202E⟩']);
    expect(explainError(new TypeError('seed deadbeef'), '').join('')).not.toContain('deadbeef');
  });
});
