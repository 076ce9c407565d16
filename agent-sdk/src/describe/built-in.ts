/** The describers that come with the SDK, one line a family. Must not hold any words itself. */
import type { DescriberEntry } from './describer.js';
import { shellTools } from './tools/shell/index.js';

const FAMILIES: readonly (readonly DescriberEntry[])[] = [
  shellTools, //
];

/** All of them, in the order they are asked. */
export function builtInDescribers(): readonly DescriberEntry[] {
  return FAMILIES.flat();
}
