/** What the person chose in the app, as far as notifications follow it. */
import { type Language, systemLanguage } from '../i18n/system-language.js';
import { Agents } from '../state/agents.js';
import { type AppDatabase, LOCK_RECORD } from '../state/database.js';
import { isQuiet, Settings } from '../state/settings.js';

export interface Choices {
  readonly language: Language;
  readonly isQuiet: boolean;
  /** Deciding by the summary is fine: it is shown, and no lock stands before the app. */
  readonly mayDecideUnseen: boolean;
  labelOf(pairingId: string): string | undefined;
}

/** `time`: local, `HH:MM`. */
export async function readChoices(database: AppDatabase, time: string): Promise<Choices> {
  const [settings, agents, lock] = await Promise.all([
    Settings.open(database),
    Agents.open(database),
    database.get('settings', LOCK_RECORD),
  ]);
  const { language, quietHours, privatePreviews } = settings.values.value;
  return {
    language: language === 'system' ? systemLanguage(navigator.languages) : language,
    isQuiet: isQuiet(quietHours, time),
    mayDecideUnseen: lock === undefined && !privatePreviews,
    labelOf: (pairingId) => agents.lookOf(pairingId).label,
  };
}
