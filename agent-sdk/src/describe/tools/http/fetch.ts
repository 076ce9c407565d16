/** Pages and files fetched to be read: from where, and what for. */
import type { DescribeContext } from '../../describer.js';
import { end, middle } from '../../describer.js';
import type { Given } from '../given.js';
import { isSystemPath, startsByItself } from '../paths.js';
import { high, normal, shown, type Told } from '../told.js';
import { addressesIn } from '../web/address.js';
import { type Place, placeOf } from '../web/rows.js';
import { toldRequest } from './request.js';

const URL_NAMES = ['url', 'uri', 'link', 'source_url', 'file_url', 'webpage_url', 'website'];
const LIST_NAMES = ['urls', 'links', 'sources'];
const PROMPT_NAMES = ['prompt', 'question', 'instruction', 'instructions', 'extraction_prompt'];
const TARGET_NAMES = [
  'path',
  'save_path',
  'output_path',
  'destination',
  'dest',
  'file_path',
  'filename',
  'output',
];

export function toldFetch(given: Given, context: DescribeContext): Told | undefined {
  // A `fetch` with a method or a body is a request like any other.
  if (given.has('method', 'body', 'data', 'json', 'payload')) return toldRequest(given, context);
  const one = given.text(...URL_NAMES);
  const several = one === undefined ? given.words(...LIST_NAMES) : [];
  const prompt = given.text(...PROMPT_NAMES);
  const addresses = one !== undefined ? [one] : several.length > 0 ? several : addressesIn(prompt ?? '');
  if (addresses.length === 0) return undefined;
  const places = addresses.slice(0, 20).map((address) => placeOf(address));
  const target = given.text(...TARGET_NAMES);
  return {
    summary: [
      target === undefined ? 'Fetch ' : 'Download ',
      ...(places[0]?.summary ?? []),
      ...(addresses.length > 1 ? [` +${addresses.length - 1}`] : []),
      ...(target === undefined ? [] : [' to ', middle(target)]),
      ...(prompt === undefined || target !== undefined ? [] : [': ', end(prompt)]),
    ],
    blocks: [
      ...blocksOf(places, addresses),
      ...shown('Save as', target, 'path'),
      ...shown('Asked', prompt, 'text'),
    ],
    reasons: [...places.flatMap(({ reasons }) => reasons), ...targetReasons(target)],
    least: target === undefined ? 'low' : 'normal',
  };
}

function blocksOf(places: readonly Place[], addresses: readonly string[]) {
  const left = addresses.slice(places.length);
  return [
    ...places.flatMap(({ blocks }) => blocks),
    ...shown('And', left.length === 0 ? undefined : left.join('\n')),
  ];
}

function targetReasons(target: string | undefined) {
  if (target === undefined) return [];
  const reasons = [
    ...(startsByItself(target) ? [high(`${target} runs by itself later`)] : []),
    ...(isSystemPath(target) ? [high(`${target} belongs to the system`)] : []),
  ];
  return reasons.length > 0 ? reasons : [normal(`writes ${target}`)];
}
