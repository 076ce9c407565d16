/** The mask of one item over every text of it. Pure. */
import {
  collectJsonSecrets,
  collectSecrets,
  createMasker,
  escapeInvisible,
  escapeToLine,
  type View,
} from '@countersign/protocol/blocks';
import type { Texts } from './block.types.js';

/** Masks what the view calls secret and what its arguments hold under secret names, wherever it occurs. */
export function textsOf(view: View | undefined, args: unknown): Texts {
  const secrets = [...(view === undefined ? [] : collectSecrets(view)), ...collectJsonSecrets(args)];
  const mask = createMasker(secrets);
  return {
    show: (text) => escapeInvisible(mask(text)),
    line: (text) => escapeToLine(mask(text)),
    hides: (text) => mask(text) !== text,
  };
}
