/** The describers that come with the SDK, one line a family. Must not hold any words itself. */
import type { DescriberEntry } from './describer.js';
import { fileTools } from './tools/files/index.js';
import { shellTools } from './tools/shell/index.js';

const FAMILIES: readonly (readonly DescriberEntry[])[] = [
  shellTools, //
  fileTools,
];

/** All of them, in the order they are asked. */
export function builtInDescribers(): readonly DescriberEntry[] {
  return FAMILIES.flat();
}
