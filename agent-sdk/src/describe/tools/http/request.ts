/** One HTTP request in words: method and host first, then what is sent, and with whose rights. */
import { type Block, isSecretKey, looksLikeSecret } from '@countersign/protocol/blocks';
import type { JsonObject } from '../../call.js';
import { type DescribeContext, middle, type SummaryPart } from '../../describer.js';
import { ownName } from '../../names.js';
import { row, valueRow } from '../../rows.js';
import type { Given } from '../given.js';
import { asObject } from '../given.js';
import { count, hiddenReasons, high, leakReasons, normal, type Reason, type Told } from '../told.js';
import { isCollector } from '../web/host.js';
import { placeOf } from '../web/rows.js';
import { type Body, readBody } from './body.js';

const ADDRESS_NAMES = [
  'url',
  'uri',
  'endpoint',
  'webhook_url',
  'request_url',
  'target_url',
  'full_url',
  'href',
];
const BASE_NAMES = ['base_url', 'baseUrl', 'host', 'server', 'origin'];
const PATH_NAMES = ['path', 'route', 'resource_path'];
const HEADER_NAMES = ['headers', 'header', 'request_headers', 'http_headers'];
const QUERY_NAMES = ['query_params', 'query_parameters', 'params', 'search_params', 'query_string'];
const INSECURE = ['verify', 'verify_ssl', 'ssl_verify', 'reject_unauthorized'];
const METHOD = /^[A-Za-z]{1,20}$/;
const MAX_HEADERS = 60;
/** More than a name says: a value under it lets somebody in. */
const KEYED_HEADER = /(?:^|[ -])(?:auth\w*|cookie|key|session\w*|signature|token)$/i;

interface Header {
  readonly name: string;
  readonly value: string;
}

export function toldRequest(given: Given, context: DescribeContext): Told | undefined {
  const url = addressOf(given);
  if (url === undefined) return undefined;
  const body = readBody(given);
  const method = methodOf(given, context.toolName, body !== undefined);
  const headers = headersOf(given.any(...HEADER_NAMES));
  const query = given.any(...QUERY_NAMES);
  const place = placeOf(url);
  return {
    summary: [...verbOf(method), ...place.summary, ...sentWords(body)],
    blocks: [
      row('Method', method),
      ...place.blocks,
      ...(query === undefined ? [] : [valueRow('Query', jsonShown(query))]),
      ...headers.map(headerRow),
      ...(body?.blocks ?? []),
    ],
    reasons: [
      ...place.reasons,
      ...methodReasons(method, body, place.address?.host),
      ...headerReasons(headers),
      ...leakReasons(body?.texts ?? []),
      ...hiddenReasons(body?.texts ?? []),
      ...(given.truth(...INSECURE) === false ? [high('does not check who answers')] : []),
    ],
    least: isLook(method) ? 'low' : 'normal',
  };
}

/** The address, or a host and a path. */
function addressOf(given: Given): string | undefined {
  const whole = given.text(...ADDRESS_NAMES);
  const base = whole?.startsWith('/') === false ? undefined : given.text(...BASE_NAMES);
  if (base === undefined) return whole;
  const path = whole ?? given.text(...PATH_NAMES) ?? '';
  if (path === '') return base;
  return `${base.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
}

function methodOf(given: Given, toolName: string, sends: boolean): string {
  const said = given.text('method', 'http_method', 'verb', 'request_method');
  if (said !== undefined) return METHOD.test(said) ? said.toUpperCase() : said;
  const named = /(get|post|put|patch|delete|head)$/.exec(ownName(toolName))?.[1] ?? '';
  if (/^(?:http|requests|api)/.test(ownName(toolName)) && named !== '') return named.toUpperCase();
  return sends || /webhook/.test(ownName(toolName)) ? 'POST' : 'GET';
}

function verbOf(method: string): SummaryPart[] {
  if (method === 'GET') return ['Fetch '];
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') return [`${method} to `];
  return METHOD.test(method) ? [`${method} `] : ['⚠ ', middle(method), ' '];
}

function sentWords(body: Body | undefined): SummaryPart[] {
  return body === undefined ? [] : [` (${body.words})`];
}

function isLook(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function methodReasons(method: string, body: Body | undefined, host: string | undefined): Reason[] {
  const where = host === undefined || host === '' ? 'the server' : host;
  const odd = METHOD.test(method) ? [] : [high('the method is no word: it may hold a request of its own')];
  if (method === 'DELETE') return [high(`deletes something at ${where}`), ...odd];
  if (body === undefined) return isLook(method) ? odd : [normal(`changes something at ${where}`), ...odd];
  const published = host !== undefined && isCollector(host.replace(/:\d+$/, ''));
  return [
    published ? high(`sends data to ${where}, which passes it on`) : normal(`sends data to ${where}`),
    ...odd,
  ];
}

function headerReasons(headers: readonly Header[]): Reason[] {
  const keyed = headers.filter(isKeyed).length;
  const split = headers.some(({ name, value }) => /[\r\n]/.test(name + value));
  return [
    ...(keyed > 0 ? [normal(`sends ${count(keyed, 'credential')} along`)] : []),
    ...(split ? [high('a header has line breaks: it may hold headers of its own')] : []),
  ];
}

/** `{"A": "b"}`, `["A: b"]`, `[{"name": "A", "value": "b"}]`, `"A: b\nC: d"`; whatever else in one piece. */
function headersOf(value: unknown): Header[] {
  if (value === undefined) return [];
  const object = asObject(value);
  const list =
    typeof value === 'string' && !/^\s*[[{]/.test(value) ? value.split(/\r?\n/, MAX_HEADERS + 1) : value;
  if (object !== undefined)
    return Object.entries(object).map(([name, one]) => ({ name: `Header ${name}`, value: asText(one) }));
  if (!Array.isArray(list) || list.length > MAX_HEADERS) return [{ name: 'Headers', value: asText(value) }];
  return list.map(headerOf);
}

function headerOf(one: unknown): Header {
  const object = asObject(one);
  const named = object?.name ?? object?.key;
  if (
    typeof named === 'string' &&
    Object.hasOwn(object ?? {}, 'value') &&
    Object.keys(object ?? {}).length === 2
  )
    return { name: `Header ${named}`, value: asText(object?.value) };
  const [, name, value] = (typeof one === 'string' ? /^([^:]{1,200}):\s?(.*)$/s.exec(one) : null) ?? [];
  return name === undefined
    ? { name: 'Header', value: asText(one) }
    : { name: `Header ${name.trim()}`, value: value ?? '' };
}

function headerRow(header: Header): Block {
  return valueRow(header.name, { value: header.value, value_type: isKeyed(header) ? 'secret' : 'string' });
}

function isKeyed({ name, value }: Header): boolean {
  return isSecretKey(name) || KEYED_HEADER.test(name.slice(0, 128)) || looksLikeSecret(value);
}

function jsonShown(value: unknown) {
  if (typeof value === 'string') return { value, value_type: 'string' as const };
  return { value: asText(value as JsonObject), value_type: 'json' as const };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
