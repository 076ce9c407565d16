import { codePoints, createMasker, isSummaryLine, MASK } from '@countersign/protocol/blocks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { end, middle } from './describer.js';
import { layOut } from './summary.js';

const plain = createMasker([]);

describe('a summary', () => {
  it('joins its pieces', () => {
    expect(layOut(['Move ', middle('a'), ' to ', middle('b')], plain)).toBe('Move a to b');
  });

  it('cuts a piece whose end matters in its middle and others at their end', () => {
    const path = `/start/${'x'.repeat(300)}/end.ts`;
    const cutPath = layOut(['Edit ', middle(path)], plain);
    expect(cutPath).toMatch(/^Edit \/start\/x+…x+\/end\.ts$/);
    expect(codePoints(cutPath)).toBe(120);
    expect(layOut(['Say ', end('word '.repeat(50))], plain)).toMatch(/^Say word .*…$/);
  });

  it('gives short pieces what they need and long ones the rest', () => {
    const line = layOut([middle('short.ts'), ': ', middle('y'.repeat(500))], plain);
    expect(line.startsWith('short.ts: y')).toBe(true);
    expect(codePoints(line)).toBe(120);
  });

  it.each(['e\u0301', '🇩🇪', '👍🏽', '\u202E'])('never cuts %s in half', (character) => {
    const whole = layOut([middle(character)], plain);
    const line = layOut([middle(character.repeat(200))], plain);
    expect(line.replaceAll(whole, '')).toBe('…');
    expect(line.length).toBeGreaterThan(60);
  });

  it('counts long runs of blanks out, and shows line breaks and what is hidden', () => {
    expect(layOut([middle(`ls${' '.repeat(400)}; rm x`)], plain)).toBe('ls ⟨400 blanks⟩ ; rm x');
    expect(layOut(['a\nb\u202E'], plain)).toBe('a ⏎ b⟨U+202E⟩');
  });

  it('masks a secret before it cuts', () => {
    const secret = 'k'.repeat(200);
    expect(layOut(['Use ', middle(secret)], createMasker([secret]))).toBe(`Use ${MASK}`);
  });

  it('is always fit to be sent', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => middle(text)),
      fc.string({ unit: 'binary', maxLength: 300 }).map((text) => end(text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => isSummaryLine(layOut(pieces, plain))),
    );
  });
});
