/** Which of the app's languages a browser asks for. Pure: pages and the service worker share it. */
export type Language = 'en' | 'de';

export function systemLanguage(preferred: readonly string[]): Language {
  const first = preferred
    .map((tag) => tag.slice(0, 2).toLowerCase())
    .find((tag) => tag === 'en' || tag === 'de');
  return first === 'de' ? 'de' : 'en';
}
