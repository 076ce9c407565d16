/** Arguments in which an agent speaks for its own call: shown, as what they are. Must not know any tool. */

import type { Block } from '@countersign/protocol/blocks';
import type { JsonObject } from '../call.js';
import { listOf } from '../list-of.js';
import { argumentRow } from '../rows.js';

/** For tools whose own arguments have none of these names. */
export const CLAIM_NAMES: readonly string[] = [
  ...listOf('description display_description explanation instruction instructions justification'),
  ...listOf('reason summary Instruction Description'),
];

export function claimRows(args: JsonObject): Block[] {
  return CLAIM_NAMES.filter((name) => Object.hasOwn(args, name)).map((name) =>
    argumentRow(args, name, 'The agent says'),
  );
}
