/**
 * Words in the person's language, by i18next. Keys are flat and typed by the English dictionary; a test compares the
 * languages. Must not know screens.
 */
import { signal } from '@preact/signals';
import i18next from 'i18next';
import { en } from './en.js';
import { type Language, systemLanguage } from './system-language.js';

export { type Language, systemLanguage } from './system-language.js';

type PluralEnding = '_one' | '_other';
/** A key as given to {@link t}: plural endings left out. */
export type Words = keyof typeof en extends infer K
  ? K extends `${infer Base}${PluralEnding}`
    ? Base
    : K
  : never;
export type Values = Readonly<Record<string, string | number>>;

/** i18next's own name for the one set of words. */
const NAMESPACE = 'translation';

const language = signal<Language>('en');
const locale = signal('en');

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  // Preact sets text, never markup: escaping here would be seen.
  interpolation: { escapeValue: false },
  resources: { en: { [NAMESPACE]: en } },
});

/** The words for a key; reading it in a component follows the language. */
export function t(key: Words, values?: Values): string {
  return i18next.t(key, { lng: language.value, ...values });
}

/** The language with the person's own region, which decides how dates look. */
export function formatLocale(): string {
  return locale.value;
}

/** Another language is fetched first: until then, and without a network, the present one stays. */
export async function setLanguage(
  wanted: 'system' | Language,
  preferred = navigator.languages,
): Promise<void> {
  const next = wanted === 'system' ? systemLanguage(preferred) : wanted;
  if (next === 'de' && !i18next.hasResourceBundle('de', NAMESPACE)) {
    const { de } = await import('./de.js');
    i18next.addResourceBundle('de', NAMESPACE, de);
  }
  language.value = next;
  locale.value = preferred.find((tag) => tag.toLowerCase().startsWith(next)) ?? next;
  if (typeof document !== 'undefined') document.documentElement.lang = next;
}
