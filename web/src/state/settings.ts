/** What a person chose on this device. Must not know who acts on it. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { AppDatabase } from './database.js';

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export const TEXT_SIZES = ['normal', 'large', 'larger'] as const;
export const LANGUAGES = ['system', 'en', 'de'] as const;

export interface SettingValues {
  theme: (typeof THEMES)[number];
  textSize: (typeof TEXT_SIZES)[number];
  language: (typeof LANGUAGES)[number];
  /** How agents list this device. */
  deviceName: string;
  sounds: boolean;
  /** Notifications of agents say only that something waits. */
  privatePreviews: boolean;
  /** No sound between these local times, `HH:MM`; may span midnight. */
  quietHours: { from: string; to: string } | null;
  /** The inbox says no more that notifications could be turned on. */
  pushHintClosed: boolean;
}

export const DEFAULTS: SettingValues = {
  theme: 'system',
  textSize: 'normal',
  language: 'system',
  deviceName: '',
  sounds: false,
  privatePreviews: false,
  quietHours: null,
  pushHintClosed: false,
};

const KEY = 'values';

export class Settings {
  readonly values: ReadonlySignal<SettingValues>;
  readonly #values;
  readonly #database: AppDatabase;

  private constructor(database: AppDatabase, stored: SettingValues) {
    this.#database = database;
    this.#values = signal(stored);
    this.values = this.#values;
  }

  static async open(database: AppDatabase): Promise<Settings> {
    return new Settings(database, readSettings(await database.get('settings', KEY)));
  }

  async change(change: Partial<SettingValues>): Promise<void> {
    const next = { ...this.#values.value, ...change };
    this.#values.value = next;
    await this.#database.put('settings', next, KEY);
  }
}

/** Whatever is stored, of this version or another: what does not fit is the default. */
export function readSettings(stored: unknown): SettingValues {
  if (typeof stored !== 'object' || stored === null) return DEFAULTS;
  const found = stored as Partial<Record<keyof SettingValues, unknown>>;
  return {
    theme: oneOf(THEMES, found.theme, DEFAULTS.theme),
    textSize: oneOf(TEXT_SIZES, found.textSize, DEFAULTS.textSize),
    language: oneOf(LANGUAGES, found.language, DEFAULTS.language),
    deviceName: typeof found.deviceName === 'string' ? found.deviceName : DEFAULTS.deviceName,
    sounds: found.sounds === true,
    privatePreviews: found.privatePreviews === true,
    quietHours: readQuietHours(found.quietHours),
    pushHintClosed: found.pushHintClosed === true,
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown, fallback: T): T {
  return known.find((one) => one === value) ?? fallback;
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

function readQuietHours(value: unknown): SettingValues['quietHours'] {
  if (typeof value !== 'object' || value === null) return null;
  const { from, to } = value as { from?: unknown; to?: unknown };
  const areTimes = typeof from === 'string' && typeof to === 'string' && TIME.test(from) && TIME.test(to);
  return areTimes ? { from, to } : null;
}

/** Whether a local time `HH:MM` falls into the quiet hours, the end excluded. */
export function isQuiet(quietHours: SettingValues['quietHours'], time: string): boolean {
  if (quietHours === null) return false;
  const { from, to } = quietHours;
  return from <= to ? from <= time && time < to : from <= time || time < to;
}
