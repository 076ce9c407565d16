/**
 * Makes every character that hides something visible: the one form all surfaces use. Must not know blocks,
 * layouts or dialects.
 *
 * A hidden character becomes `⟨U+202E⟩`: its code point in capital hex, four to six digits, between U+27E8 and
 * U+27E9. The form is for reading, not for parsing back: text that already holds it stays as it is, so escaping
 * twice changes nothing.
 */

/**
 * Controls (Cc), format characters such as bidi controls, joiners and tags (Cf), lone surrogates (Cs), private use
 * (Co: what it shows nobody knows), line and paragraph separators, whatever a renderer may leave out
 * (Default_Ignorable, which holds the variation selectors and the Hangul fillers), noncharacters, blanks that are
 * narrower than a person can see or look like nothing, and the object replacement character. Ordinary blanks of
 * writing (U+0020, U+00A0, U+202F, U+3000), tabs and line feeds stay.
 * Source: Unicode Standard Annex #44, tables 12 (General_Category) and 9 (binary properties).
 */
const HIDDEN =
  /(?![\n\t])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u1680\u2000-\u200A\u205F\u2800\uFFFC\u{1D159}]|\u{16FE4})/gu;

const HIDDEN_ANYWHERE = new RegExp(HIDDEN.source, 'u');

/** Nearly all texts are printable ASCII, of which nothing hides: a look at each unit is much cheaper than the classes. */
const BEYOND_ASCII = /[^ -~\n\t]/;
const BEYOND_LINE = /[^ -~]/;

/** Shown in place of a line break where a text must stay on one line. */
const LINE_BREAK = ' ⏎ ';

function visibleForm(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${hex}⟩`;
}

/**
 * The text with every hidden character visible; `\n` and `\t` stay, for surfaces of several lines.
 * Well-formed UTF-16 whatever came in. Never throws.
 */
export function escapeInvisible(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(HIDDEN, visibleForm) : text;
}

/** Whether {@link escapeInvisible} would change the text. */
export function holdsInvisible(text: string): boolean {
  return BEYOND_ASCII.test(text) && HIDDEN_ANYWHERE.test(text);
}

/**
 * The same on one line: a line break (`\n`, `\r\n`) becomes ` ⏎ `, a tab a blank; blanks, tabs and line breaks at both
 * ends go.
 */
export function escapeToLine(text: string): string {
  const inner = trimmed(text);
  if (!BEYOND_LINE.test(inner)) return inner;
  return escapeInvisible(inner.replace(/\r?\n/g, LINE_BREAK).replaceAll('\t', ' '));
}

/** Unlike `String.trim` this leaves what is hidden to be shown: a byte order mark is no blank. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && ' \t\r\n'.includes(text.charAt(start))) start++;
  while (end > start && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** ES2024: thirty times as fast as the regular expressions that serve older engines. */
type Es2024 = string & { readonly toWellFormed?: () => string; readonly isWellFormed?: () => boolean };

/** Well-formed UTF-16: U+FFFD in place of each lone surrogate. */
export function toWellFormed(text: string): string {
  const { toWellFormed: native } = text as Es2024;
  return native === undefined ? text.replace(/\p{Cs}/gu, '\uFFFD') : native.call(text);
}

/** Whether a text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  const { isWellFormed: native } = text as Es2024;
  return native === undefined ? !/\p{Cs}/u.test(text) : native.call(text);
}
