/** The settings as text: for `--help` and `--print-config`. Must not print a secret. */
import type { RelayConfig } from './relay-config.js';
import { type Setting, variableOf } from './setting.js';
import { SETTINGS } from './settings.js';

const entries = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting][];

/** One line a setting: variable, default, meaning. */
export function settingsHelp(): string {
  return entries
    .map(
      ([name, { schema, help }]) =>
        `  ${variableOf(name)}${defaultOf(schema.safeParse(undefined))}\n      ${help}`,
    )
    .join('\n');
}

function defaultOf({ data }: { data?: unknown }): string {
  if (data === undefined || (Array.isArray(data) && data.length === 0)) return '';
  return ` (${String(data)})`;
}

/** A file for `--config` that says the same, secrets left out. */
export function printableConfig(config: RelayConfig): string {
  const printed = entries.map(([name, { secret }]) => [
    name,
    secret && config[name] ? '(redacted)' : config[name],
  ]);
  return JSON.stringify(Object.fromEntries(printed), undefined, 2);
}
