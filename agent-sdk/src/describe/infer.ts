/**
 * What an argument is, by its name, its value and what stands beside it. A guess for showing, never a gate. Must
 * not know tool names.
 */
import { parseUrl } from '@countersign/protocol';
import { isSecretMember, jsonText, looksLikeSecret, type ValueType } from '@countersign/protocol/blocks';
import { COMMAND_NAMES, isArgv, quoteArgv } from './argv.js';
import type { JsonObject } from './call.js';

export interface Shown {
  value: string;
  value_type: ValueType;
  lang?: string;
}

/** JSON up to this length stays on one line. */
const MAX_COMPACT_JSON_UNITS = 60;
/** Deeper JSON stays on one line: its indents would outgrow it by far. */
const MAX_INDENTED_DEPTH = 32;
const MAX_EMAIL_UNITS = 254;
const MAX_PARSED_JSON_UNITS = 200_000;

const PATH_NAME = /(?:^|[^a-z])(?:path|file|filename|filepath|dir|directory|folder|cwd|workdir)$/i;
const PATH_LOOK = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/]|\\\\)[^\n\r]*$/;
const EMAIL = /^[^\s@<>"',;:()]+@[^\s@<>"',;:()]+\.[^\s@<>"',;:().]{2,}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const PATCH = /^(?:diff --git |Index: |--- [^\n]*\n\+\+\+ |\*\*\* Begin Patch)/;

/** Argument names that say the language of their value. */
const LANGUAGE_OF_NAME: Readonly<Record<string, string>> = {
  css: 'css',
  html: 'html',
  javascript: 'js',
  js: 'js',
  python: 'python',
  sql: 'sql',
  xml: 'xml',
  yaml: 'yaml',
};
const CODE_NAMES: readonly string[] = ['code', 'source', 'source_code', 'snippet'];
const LANGUAGE_NAMES: readonly string[] = ['language', 'lang', 'syntax'];
const CONTENT_NAMES: readonly string[] = [
  'content',
  'contents',
  'file_text',
  'new_str',
  'new_string',
  'old_str',
  'old_string',
  'text',
];
const FILE_NAMES: readonly string[] = ['path', 'file_path', 'filePath', 'filename', 'file'];
const LANG = /^[A-Za-z0-9_+#.-]{1,32}$/;
const PROSE: ReadonlySet<string> = new Set(['log', 'txt']);

/** How one argument is shown, among all arguments of its call. */
export function inferValue(name: string, value: unknown, all: JsonObject): Shown {
  if (isSecretMember(name, value)) return shown(asText(value), 'secret');
  if (typeof value === 'string') return inferText(name, value, all);
  if (typeof value === 'number') return shown(jsonText(value), 'number');
  if (typeof value === 'boolean') return shown(jsonText(value), 'boolean');
  if (isArgv(name, value)) return shown(quoteArgv(value), 'command');
  const compact = jsonText(value);
  const pretty = compact.length > MAX_COMPACT_JSON_UNITS && !isDeeper(value, MAX_INDENTED_DEPTH);
  return shown(pretty ? jsonText(value, true) : compact, 'json');
}

/** Whether containers stand within each other further than this; looks no further itself. */
function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

function inferText(name: string, value: string, all: JsonObject): Shown {
  if (looksLikeSecret(value)) return shown(value, 'secret');
  if (COMMAND_NAMES.includes(name)) return shown(value, 'command');
  const code = codeLanguage(name, value, all);
  if (code !== undefined) return code;
  if (isJson(value)) return shown(value, 'json');
  if (/[\n\r]/.test(value)) return shown(value, 'text');
  return shown(value, inferLine(name, value));
}

function inferLine(name: string, value: string): ValueType {
  if (/^https?:\/\/\S+$/i.test(value) && parseUrl(value) !== undefined) return 'url';
  if (value.length <= MAX_EMAIL_UNITS && EMAIL.test(value)) return 'email';
  if (DATETIME.test(value) && !Number.isNaN(Date.parse(value))) return 'datetime';
  if (PATH_LOOK.test(value) || (value !== '' && PATH_NAME.test(spaced(name)))) return 'path';
  return 'string';
}

/** Code, markdown or a patch, if the name, a language beside it or the file's ending says so. */
function codeLanguage(name: string, value: string, all: JsonObject): Shown | undefined {
  if (PATCH.test(value)) return { ...shown(value, 'code'), lang: 'diff' };
  if (name === 'markdown' || name === 'md') return shown(value, 'markdown');
  if (Object.hasOwn(LANGUAGE_OF_NAME, name))
    return { ...shown(value, 'code'), ...language(LANGUAGE_OF_NAME[name]) };
  if (CODE_NAMES.includes(name))
    return { ...shown(value, 'code'), ...language(firstText(LANGUAGE_NAMES, all)) };
  const ending = CONTENT_NAMES.includes(name) ? endingOf(firstText(FILE_NAMES, all)) : undefined;
  if (ending === undefined || PROSE.has(ending)) return undefined;
  return ending === 'md' ? shown(value, 'markdown') : { ...shown(value, 'code'), ...language(ending) };
}

function language(lang: string | undefined): { lang?: string } {
  return lang !== undefined && LANG.test(lang) ? { lang } : {};
}

function endingOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /[^./\\]\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase();
}

function firstText(names: readonly string[], all: JsonObject): string | undefined {
  const name = names.find((one) => Object.hasOwn(all, one) && typeof all[one] === 'string');
  return name === undefined ? undefined : (all[name] as string);
}

function isJson(value: string): boolean {
  if (!/^\s*[[{]/.test(value) || value.length > MAX_PARSED_JSON_UNITS) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** `filePath` ends in a word like `file_path` does. */
function spaced(name: string): string {
  return name.slice(-40).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

function shown(value: string, value_type: ValueType): Shown {
  return { value, value_type };
}
