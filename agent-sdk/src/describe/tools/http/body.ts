/** What a request sends, by its content type or else by its look. Must not know methods or hosts. */

import { type Block, jsonText, type ValueType } from '@countersign/protocol/blocks';
import { listOf } from '../../list-of.js';
import { valueRow } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import { count, listed, watchOut } from '../told.js';

export interface Body {
  readonly blocks: readonly Block[];
  /** How much of what: "312 characters of JSON". */
  readonly words: string;
  readonly texts: readonly string[];
}

const BODY_NAMES = listOf('body data json payload json_body request_body post_data json_data raw_body');
const FORM_NAMES = ['form', 'form_data', 'formData', 'files', 'multipart'];
const GRAPHQL_NAMES = ['graphql_query', 'mutation'];
const MAX_PARSED_UNITS = 200_000;

interface Look {
  readonly name: string;
  readonly type: ValueType;
  readonly lang?: string;
}

const JSON_LOOK: Look = { name: 'JSON', type: 'json' };

export function readBody(given: Given): Body | undefined {
  const body = given.any(...BODY_NAMES);
  const form = given.any(...FORM_NAMES);
  const graphql = given.text(...GRAPHQL_NAMES);
  const parts = [
    ...(body === undefined || body === '' ? [] : [partOf('Body', body, contentType(given))]),
    ...(form === undefined ? [] : [partOf('Form', form, undefined)]),
    ...(graphql === undefined ? [] : [partOf('GraphQL', graphql, 'application/graphql')]),
  ];
  if (parts.length === 0) return undefined;
  return {
    blocks: parts.flatMap(({ blocks }) => blocks),
    words: parts.map(({ words }) => words).join(', '),
    texts: parts.flatMap(({ texts }) => texts),
  };
}

function partOf(label: string, value: unknown, type: string | undefined): Body {
  const text = typeof value === 'string' ? value : jsonText(value, true);
  const look = typeof value === 'string' ? lookOf(text, type) : JSON_LOOK;
  const lang = look.lang === undefined ? {} : { lang: look.lang };
  return {
    blocks: [
      valueRow(label, { value: text, value_type: look.type, ...lang }),
      ...(look.name === 'form' ? listed('Form reads', decoded(text)) : []),
      ...watchOut([text]),
    ],
    words: `${count(text.length, 'character')} of ${look.name}`,
    texts: [text],
  };
}

function lookOf(text: string, type: string | undefined): Look {
  const kind = type?.toLowerCase() ?? '';
  if (/[/+]json\b/.test(kind) || isJson(text)) return JSON_LOOK;
  if (kind.includes('x-www-form-urlencoded')) return { name: 'form', type: 'string' };
  if (kind.includes('graphql')) return { name: 'GraphQL', type: 'code', lang: 'graphql' };
  if (kind.includes('html')) return { name: 'HTML', type: 'code', lang: 'html' };
  if (/[/+]xml\b/.test(kind) || /^\s{0,20}<\?xml/.test(text))
    return { name: 'XML', type: 'code', lang: 'xml' };
  return { name: 'text', type: text.includes('\n') ? 'text' : 'string' };
}

function isJson(text: string): boolean {
  if (!/^\s{0,100}[[{]/.test(text) || text.length > MAX_PARSED_UNITS) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `a=b%20c&d=` as lines; nothing where decoding changes nothing. */
function decoded(text: string): string[] {
  if (text.length > MAX_PARSED_UNITS || !/[%+]/.test(text)) return [];
  return [...new URLSearchParams(text)].slice(0, 100).map(([name, value]) => `${name} = ${value}`);
}

function contentType(given: Given): string | undefined {
  const said = given.text('content_type', 'contentType', 'mime_type');
  if (said !== undefined) return said;
  const headers = asObject(given.args.headers);
  const name = Object.keys(headers ?? {}).find((one) => one.toLowerCase() === 'content-type');
  const value = name === undefined ? undefined : headers?.[name];
  return typeof value === 'string' ? value : undefined;
}
