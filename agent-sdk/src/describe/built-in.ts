/** The describers that come with the SDK, one line a family. Must not hold any words itself. */
import type { DescriberEntry } from './describer.js';

const FAMILIES: readonly (readonly DescriberEntry[])[] = [];

/** All of them, in the order they are asked. */
export function builtInDescribers(): readonly DescriberEntry[] {
  return FAMILIES.flat();
}
