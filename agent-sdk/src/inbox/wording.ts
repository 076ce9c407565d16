/** How calls are put into words, as the inbox needs it. Must not know describers. */
import type { View } from '@countersign/protocol/blocks';
import type { FrozenArguments } from '@countersign/protocol/e2e';
import type { Risk, ToolDeclaration } from '../api.js';

export interface Words {
  readonly view: View;
  /** An estimate and its reasons. */
  readonly risk: { readonly level: Risk; readonly reasons: readonly string[] };
}

export interface Around {
  readonly cwd?: string | undefined;
  readonly tool?: ToolDeclaration | undefined;
}

export interface Wording {
  /** One line, at once. Never throws. */
  summary(toolName: string, args: FrozenArguments): string;
  /** Everything, after a look at the files the call touches. Never rejects; takes seconds at most. */
  words(toolName: string, args: FrozenArguments, around: Around): Promise<Words>;
}
