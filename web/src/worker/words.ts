/**
 * What the worker says, in the person's language. Apart from the page's words, so that a push loads only these; a test
 * compares the languages. Must not know notifications.
 */
import i18next from 'i18next';

export const en = {
  waiting: 'Something waits for you. Open the app to see it.',
  waiting_one: '{{count}} item waits for you. Open the app to see it.',
  waiting_other: '{{count}} items wait for you. Open the app to see them.',
  approve: 'Approve',
  reject: 'Reject',
  ended: 'This does not wait any more.',
  expired: 'The time for this is over.',
  working_approve: 'Approving …',
  working_reject: 'Rejecting …',
  confirmed_approve: 'Approved.',
  confirmed_reject: 'Rejected.',
  on_its_way: 'Your answer is on its way; the agent has not confirmed it yet.',
  differs: 'Nothing was sent: it is not what this notification said any more. Open it to look.',
  look: 'Nothing was sent: this one has to be looked at first. Open it.',
  outcome_ended: 'Your answer changed nothing: it was decided, withdrawn, or had expired.',
  unreachable: 'Nothing was sent: the agent cannot be reached now. Open the app and try again.',
} as const;

export type WorkerWords = keyof typeof en;

export const de: Record<WorkerWords, string> = {
  waiting: 'Etwas wartet auf dich. Öffne die App, um es zu sehen.',
  waiting_one: '{{count}} Anfrage wartet auf dich. Öffne die App, um sie zu sehen.',
  waiting_other: '{{count}} Anfragen warten auf dich. Öffne die App, um sie zu sehen.',
  approve: 'Genehmigen',
  reject: 'Ablehnen',
  ended: 'Das wartet nicht mehr.',
  expired: 'Die Zeit dafür ist abgelaufen.',
  working_approve: 'Wird genehmigt …',
  working_reject: 'Wird abgelehnt …',
  confirmed_approve: 'Genehmigt.',
  confirmed_reject: 'Abgelehnt.',
  on_its_way: 'Deine Antwort ist unterwegs; der Agent hat sie noch nicht bestätigt.',
  differs: 'Nichts gesendet: Es lautet inzwischen anders als diese Mitteilung. Öffne es, um nachzusehen.',
  look: 'Nichts gesendet: Das muss erst angesehen werden. Öffne es.',
  outcome_ended:
    'Deine Antwort hat nichts geändert: Es wurde entschieden, zurückgezogen oder war abgelaufen.',
  unreachable: 'Nichts gesendet: Der Agent ist jetzt nicht erreichbar. Öffne die App und versuche es erneut.',
};

const words = i18next.createInstance();
void words.init({
  fallbackLng: 'en',
  initAsync: false,
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escapeValue: false },
  resources: { en: { translation: en }, de: { translation: de } },
});

export type Say = (key: Exclude<WorkerWords, `waiting_${string}`>, count?: number) => string;

export function sayIn(language: 'en' | 'de'): Say {
  return (key, count) => words.t(key, { lng: language, ...(count !== undefined && { count }) });
}
