/** One act in a browser in words: where to, on what, with which text. */
import { type Block, isSecretKey, jsonText, looksLikeSecret } from '@countersign/protocol/blocks';
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { ownName } from '../../names.js';
import { block, valueRow } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import {
  count,
  firstOf,
  hiddenReasons,
  high,
  listed,
  low,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { placeOf } from '../web/rows.js';

const ELEMENT = [
  'element',
  'selector',
  'element_description',
  'locator',
  'target',
  'element_name',
  'label',
  'instruction',
  'action',
  'text',
  'field',
];
const REF = ['ref', 'uid', 'index', 'element_id', 'node_id', 'xpath', 'coordinate'];
const TEXT = ['text', 'value', 'content', 'input_text', 'keys'];
const SECRET_FIELD =
  /pass(?:word|code|wort)|\bpin\b|secret|token|one.?time|\botp\b|2fa|cvc|cvv|card.?number|\biban\b|social security|\bssn\b/i;
/** Words on a button that seal something. */
const SEALS =
  /\b(?:buy|pay|purchase|order|checkout|check out|confirm|submit|send|transfer|delete|remove|sign|agree|accept|publish|post|book|subscribe|unsubscribe|withdraw|approve|grant|allow|authori[sz]e|install|merge|deploy)\b/i;

export function toldVisit(given: Given, { toolName }: DescribeContext): Told | undefined {
  const url = given.text('url', 'uri', 'link', 'address', 'target_url');
  if (url === undefined) return visitWithout(given);
  const place = placeOf(url);
  const fresh =
    given.flag('new_tab', 'newTab') || /newpage|tabnew|opentab|tabscreate/.test(ownName(toolName));
  const dangerous = given.flag('allow_dangerous');
  return {
    summary: [fresh ? 'Open in a new tab ' : 'Open ', ...place.summary],
    blocks: place.blocks,
    reasons: [...place.reasons, ...(dangerous ? [high('starts the browser with its protections off')] : [])],
    least: 'low',
  };
}

/** `{type: "back"}` of the DevTools server. */
function visitWithout(given: Given): Told | undefined {
  const type = given.text('type', 'direction');
  if (type === undefined || !/^(?:back|forward|reload)$/.test(type)) return undefined;
  return { summary: ['Go ', end(type), ' in the browser'], blocks: shown('Where', type), least: 'low' };
}

export function toldClick(given: Given, { toolName }: DescribeContext): Told | undefined {
  const { words, blocks } = elementOf(given);
  const at = pointOf(given);
  if (words === undefined && at === undefined) return undefined;
  const hovers = /hover/.test(ownName(toolName));
  const double = given.flag('double_click', 'dbl_click') || /double/.test(ownName(toolName));
  const button = given.text('button', 'mouse_button');
  const verb = hovers
    ? 'Hover over '
    : /act$/.test(ownName(toolName))
      ? 'In the page: '
      : double
        ? 'Double-click '
        : button === 'right'
          ? 'Right-click '
          : 'Click ';
  return {
    summary: [verb, end(words ?? at ?? '')],
    blocks: [...blocks, ...shown('At', at), ...shown('Button', button)],
    reasons:
      words !== undefined && SEALS.test(words.slice(0, 500))
        ? [normal(`the words on it seal something: ${words.slice(0, 60)}`)]
        : [],
    least: hovers ? 'low' : 'normal',
  };
}

export function toldType(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = TEXT.find((one) => typeof given.args[one] === 'string');
  const text = name === undefined ? undefined : textIn(given, name);
  if (text === undefined) return undefined;
  const { words, blocks } = elementOf(given, 'text');
  const at = pointOf(given);
  const submits = given.flag('submit', 'press_enter', 'pressEnter');
  const sensitive = given.flag('has_sensitive_data') || isSecretField(words, toolName);
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
    reasons: [...typedReasons(sensitive, submits), ...hiddenReasons([text])],
  };
}

export function toldFill(given: Given, context: DescribeContext): Told | undefined {
  return toldType(given, context);
}

export function toldSelect(given: Given): Told | undefined {
  const values = given.words('values', 'value', 'option', 'options', 'text');
  const { words, blocks } = elementOf(given, 'text');
  if (values.length === 0 || (words === undefined && blocks.length === 0)) return undefined;
  return {
    summary: ['Choose ', ...firstOf(values), ...(words === undefined ? [] : [' in ', end(words)])],
    blocks: [...blocks, ...listed('Chooses', values)],
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

function field(name: string, value: string): Field {
  return { name, value, secret: isSecretField(name, '') };
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

export function toldKeys(given: Given): Told | undefined {
  const keys = given.words('key', 'keys', 'text', 'key_combination', 'combination');
  if (keys.length === 0) return undefined;
  const enters = keys.some((key) => /enter|return/i.test(key));
  return {
    summary: ['Press ', end(keys.join('+'))],
    blocks: listed('Keys', keys),
    reasons: enters ? [normal('Enter may send what is typed')] : [],
  };
}

export function toldUpload(given: Given): Told | undefined {
  const paths = given.words('paths', 'files', 'file_paths', 'path', 'file_path', 'file');
  const { words, blocks } = elementOf(given);
  if (paths.length === 0) return undefined;
  return {
    summary: ['Upload ', ...firstOf(paths), ...(words === undefined ? [] : [' to ', end(words)])],
    blocks: [...listed(count(paths.length, 'file'), paths), ...blocks],
    reasons: [
      ...paths.filter(isSecretFile).map((path) => high(`gives away ${path}, which holds secrets`)),
      normal(`gives ${count(paths.length, 'file')} to the page`),
    ],
  };
}

export function toldScript(given: Given): Told | undefined {
  const script = given.text(
    'function',
    'script',
    'code',
    'expression',
    'js_script',
    'javascript',
    'js_code',
    'pageFunction',
    'text',
  );
  if (script === undefined) return undefined;
  const { blocks } = elementOf(given, 'text');
  const sends = /\b(?:fetch|XMLHttpRequest|sendBeacon|WebSocket|\.submit\()/.test(script.slice(0, 100_000));
  const secrets = /\b(?:document\.cookie|localStorage|sessionStorage|indexedDB|\.credentials)\b/.test(
    script.slice(0, 100_000),
  );
  return {
    summary: ['Run in the page: ', middle(script.replace(/\s+/g, ' '))],
    blocks: [block('Script', script, 'code', 'js'), ...blocks, ...watchOut([script])],
    reasons: [
      ...(secrets ? [high('looks into what the page keeps: cookies or storage')] : []),
      ...(sends ? [high('sends requests of its own')] : []),
      normal('runs a script with the rights of the page'),
      ...hiddenReasons([script]),
    ],
  };
}

export function toldDialog(given: Given): Told | undefined {
  const accepts = given.truth('accept');
  const action = given.text('action') ?? (accepts === undefined ? undefined : accepts ? 'accept' : 'dismiss');
  if (action === undefined) return undefined;
  const text = given.text('prompt_text', 'text');
  return {
    summary: [
      action === 'accept' ? 'Say yes to the dialog of the page' : 'Say no to the dialog of the page',
      ...(text === undefined ? [] : [': ', end(text)]),
    ],
    blocks: [...shown('Answer', action), ...shown('Text', text)],
  };
}

export function toldDrag(given: Given): Told | undefined {
  const from = given.word('start_element', 'source_selector', 'start_ref', 'from_uid', 'source', 'from');
  const to = given.word('end_element', 'target_selector', 'end_ref', 'to_uid', 'target', 'to');
  const [start, finish] = [
    pointOf(given, 'start_x', 'start_y') ?? pointOf(given),
    pointOf(given, 'end_x', 'end_y') ?? pointOf(given, 'destination_x', 'destination_y'),
  ];
  const [one, other] = [from ?? start, to ?? finish];
  if (one === undefined || other === undefined) return undefined;
  return {
    summary: ['Drag ', end(one), ' to ', end(other)],
    blocks: [...shown('From', from), ...shown('From', start), ...shown('To', to), ...shown('To', finish)],
  };
}

export function toldTabs(given: Given, { toolName }: DescribeContext): Told | undefined {
  const action = given.text('action');
  const tab = given.word('index', 'tab_id', 'page_idx', 'page_id', 'tab');
  const words = action ?? (/close/.test(ownName(toolName)) ? 'close' : 'select');
  const what = tab === undefined ? 'browser tab' : 'browser tab ';
  const url = given.text('url');
  const place = url === undefined ? undefined : placeOf(url);
  return {
    summary: [
      end(capital(words)),
      ` ${what}`,
      ...(tab === undefined ? [] : [end(tab)]),
      ...(place === undefined ? [] : [': ', ...place.summary]),
    ],
    blocks: [...shown('Does', words), ...shown('Tab', tab), ...(place?.blocks ?? [])],
    reasons: place?.reasons ?? [],
    least: 'low',
  };
}

export function toldLook(given: Given, { toolName }: DescribeContext): Told | undefined {
  const goal = given.text('instruction', 'query', 'text', 'goal', 'element', 'selector', 'direction');
  const file = given.text('filename', 'file_path', 'path', 'name');
  return {
    summary: [
      end(capital(ownWords(toolName))),
      ...(goal === undefined ? [] : [': ', end(goal)]),
      ...(file === undefined ? [] : [' to ', middle(file)]),
    ],
    blocks: [...shown('About', goal), ...shown('File', file, 'path')],
    reasons: [file === undefined ? low('only looks') : normal(`writes ${file.slice(0, 80)}`)],
    least: 'low',
  };
}

/** `browser_take_screenshot` → "take screenshot" */
function ownWords(toolName: string): string {
  const name = toolName.slice(0, 200).replace(/^.*(?:__|[./:])/s, '');
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .replace(/^(?:browser|playwright|puppeteer|browserbase stagehand|stagehand) /i, '')
    .toLowerCase()
    .trim();
}

/** What is acted on in the page's words, and its mark. `except` is an argument that means something else here. */
function elementOf(given: Given, except?: string): { words: string | undefined; blocks: Block[] } {
  const words = given.text(...ELEMENT.filter((name) => name !== except));
  const ref = given.word(...REF);
  return {
    words: words ?? (ref === undefined ? undefined : `element ${ref}`),
    blocks: [...shown('On', words), ...shown('Mark', ref)],
  };
}

function pointOf(given: Given, x = 'x', y = 'y'): string | undefined {
  const [across, down] = [given.word(x), given.word(y)];
  return across === undefined && down === undefined ? undefined : `${across ?? '?'}, ${down ?? '?'}`;
}

/** Blank texts count here: they clear a field. */
function textIn(given: Given, name: string): string | undefined {
  const value = given.any(name);
  return typeof value === 'string' ? value : undefined;
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
  return sensitive || looksLikeSecret(text) ? ['Type a secret'] : ['Type ', end(text)];
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

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
