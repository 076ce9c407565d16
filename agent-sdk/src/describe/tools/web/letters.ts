/**
 * Letters that pass for others: a small table of those that cannot be told from Latin ones on a screen (a part of the
 * confusables of Unicode Technical Standard #39). A reading aid. Must not know addresses.
 */

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    ...{
      а: 'a',
      в: 'b',
      с: 'c',
      ԁ: 'd',
      е: 'e',
      ё: 'e',
      һ: 'h',
      н: 'h',
      і: 'i',
      ї: 'i',
      ј: 'j',
      к: 'k',
      ӏ: 'l',
    },
    ...{
      м: 'm',
      п: 'n',
      о: 'o',
      р: 'p',
      ԛ: 'q',
      г: 'r',
      ѕ: 's',
      т: 't',
      ц: 'u',
      ѵ: 'v',
      ԝ: 'w',
      х: 'x',
      у: 'y',
    },
    // Greek
    ...{
      α: 'a',
      β: 'b',
      ε: 'e',
      η: 'n',
      ι: 'i',
      κ: 'k',
      ν: 'v',
      ο: 'o',
      ρ: 'p',
      σ: 'o',
      τ: 't',
      υ: 'u',
      χ: 'x',
    },
    // Armenian, and Latin letters beyond ASCII that look bare
    ...{ ո: 'n', օ: 'o', ս: 'u', հ: 'h', ց: 'g', ı: 'i', ɡ: 'g', ɑ: 'a', ł: 'l', đ: 'd', ø: 'o', ℓ: 'l' },
  }),
);
const MAX_UNITS = 1_024;

/** The ASCII text this one passes for, or undefined when it passes for none. */
export function lookalike(text: string): string | undefined {
  const seen = text.slice(0, MAX_UNITS).toLowerCase();
  if (!foreignLetters(seen)) return undefined;
  const bare = seen.normalize('NFKD').replace(/\p{M}/gu, '');
  const plain = [...bare].map((letter) => LATIN_OF.get(letter) ?? letter).join('');
  return /^[!-~]+$/.test(plain) && plain !== seen ? plain : undefined;
}

/** Whether a word (between dots and hyphens) has letters of more than one of the alphabets that look alike. */
export function mixedLetters(text: string): boolean {
  return text
    .slice(0, MAX_UNITS)
    .split(/[.\-@\s]/)
    .some(
      (word) =>
        [/\p{sc=Latin}/u, /\p{sc=Cyrillic}/u, /\p{sc=Greek}/u, /\p{sc=Armenian}/u].filter((one) =>
          one.test(word),
        ).length > 1,
    );
}

export function foreignLetters(text: string): boolean {
  return /\P{ASCII}/u.test(text.slice(0, MAX_UNITS));
}
