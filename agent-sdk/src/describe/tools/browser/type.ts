/** Text that is typed into a page; what goes into a field for secrets is one. */
import { type Block, isSecretKey, jsonText, looksLikeSecret } from '@countersign/protocol/blocks';
import { type DescribeContext, end, type SummaryPart } from '../../describer.js';
import { valueRow } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import {
  count,
  hiddenReasons,
  high,
  leakReasons,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { elementOf, pointOf } from './element.js';

const TEXT = ['text', 'value', 'content', 'input_text', 'keys'];

export function toldType(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = TEXT.find((one) => typeof given.args[one] === 'string');
  const text = name === undefined ? undefined : textIn(given, name);
  if (text === undefined) return undefined;
  const { words, blocks } = elementOf(given, 'text');
  const at = pointOf(given);
  const submits = given.flag('submit', 'press_enter', 'pressEnter');
  const sensitive =
    given.flag('has_sensitive_data') ||
    isSecretField(words, toolName) ||
    isCard(words, text) ||
    looksLikeSecret(text);
  return {
    summary: [
      ...typedWords(text, sensitive),
      ...((words ?? at) === undefined ? [] : [' into ', end(words ?? at ?? '')]),
      ...(submits ? [', then press Enter'] : []),
    ],
    blocks: [
      ...blocks,
      ...shown('At', at),
      typedRow('Text', text, sensitive),
      ...(submits ? shown('Then', 'presses Enter') : []),
      ...watchOut([text]),
    ],
    reasons: [
      ...typedReasons(sensitive, submits),
      ...(sensitive ? [] : leakReasons([text])),
      ...hiddenReasons([text]),
    ],
  };
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

export function toldForm(given: Given): Told | undefined {
  const list = given.list('fields', 'elements', 'form_fields', 'inputs');
  const map = list === undefined ? given.object('fields', 'form_data', 'values', 'data') : undefined;
  const fields =
    list?.map(fieldOf) ?? Object.entries(map ?? {}).map(([name, value]) => field(name, asText(value)));
  if (fields.length === 0) return undefined;
  const submits = given.flag('submit', 'auto_submit');
  const secrets = fields.filter(({ secret }) => secret).length;
  return {
    summary: [
      submits ? 'Fill in and send a form: ' : `Fill in ${count(fields.length, 'field')}: `,
      ...fieldWords(fields),
    ],
    blocks: [
      ...fields.map(({ name, value, secret }) => typedRow(name, value, secret)),
      ...(submits ? shown('Then', 'sends the form') : []),
    ],
    reasons: typedReasons(secrets > 0, submits),
  };
}

/** `{name, type, ref, value}`, `{uid, value}`: an unknown member keeps the whole object in sight. */
function fieldOf(one: unknown): Field {
  const object = asObject(one);
  const value = object?.value ?? object?.text;
  const name = [
    object?.name,
    object?.element,
    object?.label,
    object?.selector,
    object?.uid,
    object?.ref,
    object?.index,
  ].find((text) => typeof text === 'string' || typeof text === 'number');
  if (object === undefined || value === undefined || name === undefined) return field('Field', asText(one));
  const ref = [object.ref, object.uid, object.type]
    .filter((text) => typeof text === 'string' && text !== name)
    .join(', ');
  const known = Object.keys(object).every((key) =>
    ['name', 'value', 'text', 'ref', 'uid', 'type', 'element'].includes(key),
  );
  return known
    ? field(`${name}${ref === '' ? '' : ` (${ref})`}`, asText(value))
    : field(String(name), asText(one));
}

export function field(name: string, value: string): Field {
  return { name, value, secret: isSecretField(name, '') || isCard(name, value) || looksLikeSecret(value) };
}

function fieldWords(fields: readonly Field[]): SummaryPart[] {
  const shownFields = fields
    .slice(0, 3)
    .flatMap(({ name, value, secret }, at): SummaryPart[] => [
      ...(at === 0 ? [] : [', ']),
      end(name.replace(/ \([^)]*\)$/, '')),
      ...(secret ? [' (secret)'] : ['=', end(value)]),
    ]);
  return fields.length > 3 ? [...shownFields, ` +${fields.length - 3}`] : shownFields;
}

/** Blank texts count here: they clear a field. */
function textIn(given: Given, name: string): string | undefined {
  const value = given.any(name);
  return typeof value === 'string' ? value : undefined;
}

const SECRET_FIELD =
  /pass(?:word|code|wort)|\bpin\b|secret|token|one.?time|\botp\b|2fa|cvc|cvv|csc|security.?code|card.?(?:number|num|no)\b|\bcc.?num|kartennummer|\biban\b|social security|\bssn\b/i;

/** A field for a card takes its number, a wrong one too: test numbers fail on their check digit on purpose. */
function isCard(words: string | undefined, text: string): boolean {
  return (
    words !== undefined && /card|\bcc\b/i.test(words.slice(0, 500)) && /^\d[\d -]{10,21}\d$/.test(text.trim())
  );
}

function isSecretField(words: string | undefined, toolName: string): boolean {
  return (
    words !== undefined &&
    (SECRET_FIELD.test(words.slice(0, 500)) || isSecretKey(words.slice(0, 100))) &&
    !/search/i.test(toolName)
  );
}

function typedWords(text: string, sensitive: boolean): SummaryPart[] {
  if (text === '') return ['Clear the text'];
  return sensitive ? ['Type a secret'] : ['Type ', end(text)];
}

function typedRow(label: string, text: string, sensitive: boolean): Block {
  return valueRow(label, {
    value: text,
    value_type: sensitive ? 'secret' : text.includes('\n') ? 'text' : 'string',
  });
}

function typedReasons(sensitive: boolean, submits: boolean): Reason[] {
  return [
    ...(sensitive ? [high('gives a secret to the page')] : []),
    ...(submits ? [normal('sends what is typed at once')] : []),
  ];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}
