/**
 * Where settings come from: the file of `--config`, then the environment, which wins. The only code of the relay
 * that reads the environment.
 */
import { readFileSync } from 'node:fs';
import { COMMAND_DEFAULTS } from './command-defaults.js';
import { configError } from './config-error.js';
import { parseConfig, type RelayConfig } from './relay-config.js';
import { type Setting, VARIABLE_PREFIX, variableOf } from './setting.js';
import { type RelayConfigInput, SETTINGS } from './settings.js';

export interface LoadedConfig {
  readonly config: RelayConfig;
  /** Variables with our prefix that are no settings: probably a typing error. */
  readonly unknownVariables: readonly string[];
}

export interface ConfigSources {
  readonly file?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of the command, by setting; they win over everything. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
}

/** @throws CountersignError `invalid_request` that names the setting, or `config` for the file itself. */
export function loadConfig({ file, env = process.env, flags = {} }: ConfigSources): LoadedConfig {
  const fromFile = file === undefined ? {} : readFile(file);
  const known = new Map(
    Object.entries(SETTINGS).map(([name, setting]) => [variableOf(name), { name, setting }]),
  );
  const fromEnv: Record<string, unknown> = {};
  const unknownVariables: string[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(VARIABLE_PREFIX) || value === undefined || value === '') continue;
    const entry = known.get(variable);
    if (entry) fromEnv[entry.name] = valueFrom(value, entry.setting);
    else unknownVariables.push(variable);
  }
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return {
    config: parseConfig({ ...COMMAND_DEFAULTS, ...fromFile, ...fromEnv, ...given }),
    unknownVariables,
  };
}

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The value as the file would write it; what does not fit its kind is left to the schema to refuse. */
function valueFrom(value: string, { kind }: Setting): unknown {
  const trimmed = value.trim();
  if (kind === 'number') return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
  if (kind === 'flag') return FLAGS.get(trimmed) ?? trimmed;
  if (kind === 'json') return jsonOr(trimmed);
  if (kind !== 'list') return trimmed;
  return trimmed.split(',').flatMap((item) => item.trim() || []);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readFile(file: string): RelayConfigInput {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch {
    throw configError('config', `the file ${file} cannot be read`);
  }
  const value = parseJson(content, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw configError('config', `${file} must hold one JSON object`);
  }
  return value;
}

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw configError('config', `${file} is not valid JSON`);
  }
}
