/** Acts on a page without much text: clicks, keys, choices, files, dialogs, drags. */
import { type DescribeContext, end, middle } from '../../describer.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import { count, firstOf, high, listed, normal, shown, type Told, watchOut } from '../told.js';
import { elementOf, pointOf } from './element.js';

/** Words on a button that seal something. */
const SEALS =
  /\b(?:buy|pay|purchase|order|checkout|check out|confirm|submit|send|transfer|delete|remove|sign|agree|accept|publish|post|book|subscribe|unsubscribe|withdraw|approve|grant|allow|authori[sz]e|install|merge|deploy)\b/i;

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

export function toldSelect(given: Given): Told | undefined {
  const values = given.words('values', 'value', 'option', 'options', 'text');
  const { words, blocks } = elementOf(given, 'text');
  if (values.length === 0 || (words === undefined && blocks.length === 0)) return undefined;
  return {
    summary: ['Choose ', ...firstOf(values), ...(words === undefined ? [] : [' in ', end(words)])],
    blocks: [...blocks, ...listed('Chooses', values)],
  };
}

export function toldUpload(given: Given): Told | undefined {
  const paths = given.words('paths', 'files', 'file_paths', 'path', 'file_path', 'file');
  const { words, blocks } = elementOf(given);
  if (paths.length === 0) return undefined;
  const place = given.text('destination', 'url', 'destination_url', 'endpoint');
  const to = place ?? words;
  return {
    summary: ['Upload ', ...firstOf(paths), ...(to === undefined ? [] : [' to ', middle(to)])],
    blocks: [
      ...listed(count(paths.length, 'file'), paths),
      ...shown('To', place, 'url'),
      ...blocks,
      ...watchOut([place]),
    ],
    reasons: [
      ...paths.filter(isSecretFile).map((path) => high(`gives away ${path}, which holds secrets`)),
      normal(`gives ${count(paths.length, 'file')} to ${place === undefined ? 'the page' : 'others'}`),
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
