/** What on a page is acted on: in words, by its mark, by its place. Must not know acts. */
import type { Block } from '@countersign/protocol/blocks';
import { listOf } from '../../list-of.js';
import type { Given } from '../given.js';
import { shown } from '../told.js';

const ELEMENT = [
  ...listOf('element selector element_description locator target element_name label instruction'),
  ...listOf('action text field'),
];

const REF = ['ref', 'uid', 'index', 'element_id', 'node_id', 'xpath', 'coordinate'];

/** What is acted on in the page's words, and its mark. `except` is an argument that means something else here. */
export function elementOf(given: Given, except?: string): { words: string | undefined; blocks: Block[] } {
  const words = given.text(...ELEMENT.filter((name) => name !== except));
  const ref = given.word(...REF);
  return {
    words: words ?? (ref === undefined ? undefined : `element ${ref}`),
    blocks: [...shown('On', words), ...shown('Mark', ref)],
  };
}

export function pointOf(given: Given, x = 'x', y = 'y'): string | undefined {
  const [across, down] = [given.word(x), given.word(y)];
  return across === undefined && down === undefined ? undefined : `${across ?? '?'}, ${down ?? '?'}`;
}
