/** The settings as text: for `--help` and `--print-config`. Must not print a secret. */
import { COMMAND_DEFAULTS } from './command-defaults.js';
import type { RelayConfig } from './relay-config.js';
import { type Setting, variableOf } from './setting.js';
import { SETTINGS } from './settings.js';

const entries = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting][];

/** One line a setting: variable, default, meaning. */
export function settingsHelp(): string {
  return entries
    .map(([name, { schema, help }]) => `  ${variableOf(name)}${defaultOf(name, schema)}\n      ${help}`)
    .join('\n');
}

function defaultOf(name: keyof typeof SETTINGS, schema: Setting['schema']): string {
  const value: unknown = COMMAND_DEFAULTS[name] ?? schema.safeParse(undefined).data;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? '' : ` (${String(value)})`;
}

/** A file for `--config` that says the same, secrets left out. */
export function printableConfig(config: RelayConfig): string {
  const printed = entries.map(([name, { secret }]) => [
    name,
    secret && config[name] ? '(redacted)' : config[name],
  ]);
  return JSON.stringify(Object.fromEntries(printed), undefined, 2);
}
