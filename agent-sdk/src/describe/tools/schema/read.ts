/**
 * What a JSON Schema (draft 2020-12, as far as tools use it) says of each argument: a title, its choices, its kind.
 * The server writes it: it is a claim, bounded like any text from outside. Must not know tools.
 */
import { jsonText, type ValueType } from '@countersign/protocol/blocks';
import type { JsonObject } from '../../call.js';
import { asObject } from '../given.js';

export interface Property {
  /** The server's words for the argument, short. */
  readonly words: string | undefined;
  readonly type: ValueType | undefined;
  readonly lang: string | undefined;
  readonly secret: boolean;
  /** Value by value, with the title of each where it has one. */
  readonly choices: readonly { readonly value: unknown; readonly title: string | undefined }[];
  readonly schema: JsonObject;
}

export interface ToolSchema {
  readonly properties: ReadonlyMap<string, Property>;
  readonly required: readonly string[];
  /** Other arguments than these are not allowed, or none is listed. */
  readonly closed: boolean;
}

const MAX_PROPERTIES = 200;
const MAX_CHOICES = 200;
const MAX_WORDS_UNITS = 48;
const MAX_REFS = 8;

const FORMATS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ...([
    ['date-time', 'datetime'],
    ['date', 'datetime'],
    ['email', 'email'],
    ['idn-email', 'email'],
    ['uri', 'url'],
    ['url', 'url'],
  ] as const),
  ...([
    ['iri', 'url'],
    ['uri-reference', 'url'],
    ['password', 'secret'],
    ['file-path', 'path'],
    ['directory-path', 'path'],
    ['path', 'path'],
  ] as const),
  ...([
    ['json', 'json'],
    ['markdown', 'markdown'],
    ['json-string', 'json'],
    ['textarea', 'text'],
    ['multiline', 'text'],
    ['hostname', 'string'],
  ] as const),
]);
const MEDIA: readonly (readonly [expression: RegExp, type: ValueType, lang: string | undefined])[] = [
  [/\/(?:.+\+)?json\b/, 'json', undefined],
  [/^text\/markdown\b/, 'markdown', undefined],
  [/^text\/html\b/, 'code', 'html'],
  [/\/(?:.+\+)?xml\b/, 'code', 'xml'],
  [/\bsql\b/, 'code', 'sql'],
  [/\b(?:javascript|ecmascript)\b/, 'code', 'js'],
  [/\bpython\b/, 'code', 'python'],
  [/\bya?ml\b/, 'code', 'yaml'],
  [/\b(?:x-sh|shellscript)\b/, 'command', undefined],
];

/** Undefined for what lists no arguments. Never throws. */
export function readSchema(schema: unknown): ToolSchema | undefined {
  const root = asObject(schema);
  const properties = asObject(own(root, 'properties'));
  if (root === undefined || properties === undefined) return undefined;
  const required = own(root, 'required');
  return {
    properties: new Map(
      Object.entries(properties)
        .slice(0, MAX_PROPERTIES)
        .map(([name, one]) => [name, propertyOf(one, root)]),
    ),
    required: Array.isArray(required)
      ? required.filter((name): name is string => typeof name === 'string').slice(0, MAX_PROPERTIES)
      : [],
    closed: own(root, 'additionalProperties') === false,
  };
}

function propertyOf(given: unknown, root: JsonObject): Property {
  const schema = resolved(given, root);
  const format = own(schema, 'format');
  const media = mediaOf(own(schema, 'contentMediaType'));
  const type = typeof format === 'string' ? FORMATS.get(format) : undefined;
  return {
    words: wordsOf(schema),
    type: type ?? media?.[1],
    lang: media?.[2],
    secret: own(schema, 'writeOnly') === true || format === 'password',
    choices: choicesOf(schema),
    schema,
  };
}

/** `$ref` within the schema, and the one alternative that is not null. */
function resolved(given: unknown, root: JsonObject): JsonObject {
  let schema = asObject(given) ?? {};
  for (let times = 0; times < MAX_REFS; times++) {
    const target = own(schema, '$ref');
    const next = typeof target === 'string' ? lookUp(target, root) : onlyAlternative(schema);
    if (next === undefined) return schema;
    const { $ref: _ref, anyOf: _any, oneOf: _one, ...beside } = schema;
    schema = { ...next, ...beside };
  }
  return schema;
}

function lookUp(target: string, root: JsonObject): JsonObject | undefined {
  const match = /^#\/(\$defs|definitions)\/([^/]{1,128})$/.exec(target);
  return match === null ? undefined : asObject(own(asObject(own(root, match[1] ?? '')), match[2] ?? ''));
}

function onlyAlternative(schema: JsonObject): JsonObject | undefined {
  const list = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  const real = Array.isArray(list)
    ? list.slice(0, 20).filter((one) => own(asObject(one), 'type') !== 'null')
    : [];
  return real.length === 1 ? asObject(real[0]) : undefined;
}

function wordsOf(schema: JsonObject): string | undefined {
  const title = own(schema, 'title');
  if (typeof title === 'string' && title.trim() !== '') return cut(title);
  const description = own(schema, 'description');
  if (typeof description !== 'string') return undefined;
  const sentence =
    description
      .slice(0, 500)
      .trim()
      .split(/[\n.;(]/)[0] ?? '';
  return sentence.trim() === '' ? undefined : cut(sentence);
}

function cut(text: string): string {
  const line = text.slice(0, 500).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_WORDS_UNITS ? line : `${line.slice(0, MAX_WORDS_UNITS - 1).trimEnd()}…`;
}

/** `enum`, with `enumNames`; `oneOf` and `anyOf` of constants with titles. */
function choicesOf(schema: JsonObject): Property['choices'] {
  const list = own(schema, 'enum');
  const names = own(schema, 'enumNames');
  if (Array.isArray(list))
    return list.slice(0, MAX_CHOICES).map((value, at) => ({
      value,
      title: Array.isArray(names) && typeof names[at] === 'string' ? cut(names[at]) : undefined,
    }));
  const titled = own(schema, 'oneOf') ?? own(schema, 'anyOf');
  if (!Array.isArray(titled) || titled.length > MAX_CHOICES) return [];
  const constants = titled.map(asObject);
  if (!constants.every((one) => one !== undefined && Object.hasOwn(one, 'const'))) return [];
  return constants.map((one) => ({
    value: own(one, 'const'),
    title: typeof own(one, 'title') === 'string' ? cut(String(own(one, 'title'))) : undefined,
  }));
}

function mediaOf(media: unknown) {
  return typeof media === 'string'
    ? MEDIA.find(([expression]) => expression.test(media.slice(0, 100)))
    : undefined;
}

/** Whether the value is one of the choices. */
export function choiceOf(property: Property, value: unknown): { known: boolean; title: string | undefined } {
  if (property.choices.length === 0) return { known: true, title: undefined };
  const text = jsonText(value);
  const choice = property.choices.find((one) => jsonText(one.value) === text);
  return { known: choice !== undefined || value === null, title: choice?.title };
}

function own(object: JsonObject | undefined, name: string): unknown {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}
