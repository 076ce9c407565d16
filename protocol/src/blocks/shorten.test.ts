import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENT, utf8 } from '../frames/index.js';
import { codePoints, isSummaryLine, isTitleLine, shorten, summaryLine, titleLine } from './shorten.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 400 }),
);

describe('shortening', () => {
  it('leaves a text alone that fits', () => {
    expect(shorten('twelve chars', { maxCodePoints: 12, maxBytes: 12 })).toBe('twelve chars');
  });

  it('ends in an ellipsis that is within the limit', () => {
    expect(shorten('abcdefgh', { maxCodePoints: 5, maxBytes: 100 })).toBe('abcd…');
    expect(shorten('abcdefgh', { maxCodePoints: 100, maxBytes: 7 })).toBe('abcd…');
  });

  it('never cuts what a person sees as one character', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(shorten(`ab${family}cd`, { maxCodePoints: 6, maxBytes: 100 })).toBe('ab…');
    expect(shorten('ae\u0301io', { maxCodePoints: 3, maxBytes: 100 })).toBe('a…');
    expect(shorten('a🇩🇪🇫🇷z', { maxCodePoints: 4, maxBytes: 100 })).toBe('a🇩🇪…');
  });

  it('keeps the limit for any text and any limit, and what it keeps is the beginning', () => {
    const limits = fc.record({
      maxCodePoints: fc.integer({ min: 1, max: 200 }),
      maxBytes: fc.integer({ min: 3, max: 600 }),
    });
    fc.assert(
      fc.property(anyText, limits, (text, limit) => {
        const short = shorten(text, limit);
        expect(codePoints(short)).toBeLessThanOrEqual(limit.maxCodePoints);
        expect(utf8(short).length).toBeLessThanOrEqual(limit.maxBytes);
        if (short !== text) expect(text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('leaves the ellipsis alone of a first character that is larger than the limit', () => {
    expect(shorten(`a${'\u0301'.repeat(500)}`, { maxCodePoints: 120, maxBytes: 480 })).toBe('…');
  });

  it('refuses a limit without room for one character', () => {
    expect(() => shorten('abc', { maxCodePoints: 0, maxBytes: 10 })).toThrow(/shortened/);
    expect(() => shorten('abc', { maxCodePoints: 10, maxBytes: 2 })).toThrow(/shortened/);
    expect(() => shorten('abc', { maxCodePoints: Number.NaN, maxBytes: 10 })).toThrow(/shortened/);
  });

  it('does not walk through a long text to find its beginning', () => {
    const long = 'x'.repeat(4_000_000);
    const began = performance.now();
    expect(codePoints(shorten(long, { maxCodePoints: 120, maxBytes: 480 }))).toBe(120);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe('summaries and titles', () => {
  it('reach their limits exactly', () => {
    expect(codePoints(summaryLine('x'.repeat(500)))).toBe(CONTENT.maxSummaryCodePoints);
    expect(utf8(summaryLine('𝒳'.repeat(500))).length).toBeLessThanOrEqual(CONTENT.maxSummaryBytes);
    expect(utf8(summaryLine('𝒳'.repeat(500))).length).toBeGreaterThan(CONTENT.maxSummaryBytes - 8);
    expect(codePoints(titleLine('x'.repeat(500)))).toBe(CONTENT.maxTitleCodePoints);
    expect(utf8(titleLine('𝒳'.repeat(500))).length).toBeLessThanOrEqual(CONTENT.maxTitleBytes);
  });

  it('count after escaping', () => {
    expect(codePoints(summaryLine('\u202E'.repeat(100)))).toBeLessThanOrEqual(CONTENT.maxSummaryCodePoints);
  });

  it('are always fit to be sent, whatever they were made from', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isSummaryLine(summaryLine(text))).toBe(true);
        expect(isTitleLine(titleLine(text))).toBe(true);
      }),
    );
  });

  it('are not fit as long, raw or broken text', () => {
    expect(isSummaryLine('x'.repeat(121))).toBe(false);
    expect(isSummaryLine('two\nlines')).toBe(false);
    expect(isSummaryLine('a\u200Bb')).toBe(false);
    expect(isTitleLine('x'.repeat(65))).toBe(false);
  });
});
