import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeInvisible, escapeToLine, holdsInvisible, isWellFormed, toWellFormed } from './visible.js';

const HIDES = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const ESCAPED = /^⟨U\+[0-9A-F]{4,6}⟩$/;
const anyText = fc.string({ unit: 'binary', maxLength: 60 });

function* everyCodePoint(): Generator<string> {
  for (let point = 0; point <= 0x10ffff; point++) yield String.fromCodePoint(point);
}

describe('hidden characters', () => {
  it('are found without being written out', () => {
    fc.assert(fc.property(anyText, (text) => holdsInvisible(text) === (escapeInvisible(text) !== text)));
  });

  it.each([
    ['a bidi override', '\u202E', '⟨U+202E⟩'],
    ['a bidi isolate', '\u2066', '⟨U+2066⟩'],
    ['an Arabic letter mark', '\u061C', '⟨U+061C⟩'],
    ['a zero-width space', '\u200B', '⟨U+200B⟩'],
    ['a zero-width joiner', '\u200D', '⟨U+200D⟩'],
    ['a byte order mark', '\uFEFF', '⟨U+FEFF⟩'],
    ['a soft hyphen', '\u00AD', '⟨U+00AD⟩'],
    ['a variation selector', '\u{E0101}', '⟨U+E0101⟩'],
    ['a tag character', '\u{E0041}', '⟨U+E0041⟩'],
    ['a Hangul filler', '\u3164', '⟨U+3164⟩'],
    ['a blank Braille pattern', '\u2800', '⟨U+2800⟩'],
    ['a hair space', '\u200A', '⟨U+200A⟩'],
    ['an escape', '\u001B', '⟨U+001B⟩'],
    ['a null', '\u0000', '⟨U+0000⟩'],
    ['a carriage return', '\r', '⟨U+000D⟩'],
    ['a next line', '\u0085', '⟨U+0085⟩'],
    ['a line separator', '\u2028', '⟨U+2028⟩'],
    ['a paragraph separator', '\u2029', '⟨U+2029⟩'],
    ['a lone surrogate', '\uD800', '⟨U+D800⟩'],
    ['a noncharacter', '\uFFFE', '⟨U+FFFE⟩'],
  ])('%s is shown by its code point', (_name, hidden, shown) => {
    expect(escapeInvisible(`a${hidden}b`)).toBe(`a${shown}b`);
  });

  it('stay nowhere in Unicode, and every other character stays as it is', () => {
    const wrong: string[] = [];
    for (const character of everyCodePoint()) {
      const shown = escapeInvisible(character);
      const asItIs = character === '\n' || character === '\t' || !HIDES.test(character);
      if (shown === character ? !asItIs : !ESCAPED.test(shown)) wrong.push(shown);
    }
    expect(wrong).toEqual([]);
  });

  it('leave letters, marks, emoji and the blanks of writing alone', () => {
    const text = 'é ñ ü 漢字\u3000かな «\u00A0mot\u202F!» שלום مرحبا 😀 ✅ e\u0301\n\tnext';
    expect(escapeInvisible(text)).toBe(text);
  });

  it('are escaped once, however often', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = escapeInvisible(text);
        expect(escapeInvisible(once)).toBe(once);
        expect(isWellFormed(once)).toBe(true);
      }),
    );
  });

  it('are escaped each by itself, wherever a text is divided', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(escapeInvisible(`${a}|${b}`)).toBe(`${escapeInvisible(a)}|${escapeInvisible(b)}`);
      }),
    );
  });
});

describe('a text on one line', () => {
  it('shows where a line ended', () => {
    expect(escapeToLine('  one\ntwo\r\nthree\tfour  ')).toBe('one ⏎ two ⏎ three four');
  });

  it('hides nothing that stood at its ends', () => {
    expect(escapeToLine(' \n\uFEFFa\u2028\t ')).toBe('⟨U+FEFF⟩a⟨U+2028⟩');
  });

  it('has no line break of any kind and stays the same when done twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = escapeToLine(text);
        expect(line).not.toMatch(/[\n\r\t\v\f\u0085\u2028\u2029]/);
        expect(escapeToLine(line)).toBe(line);
      }),
    );
  });
});

it('a lone surrogate becomes the replacement character and a pair stays', () => {
  expect(toWellFormed('a\uD800b\uDC00😀')).toBe('a\uFFFDb\uFFFD😀');
});
