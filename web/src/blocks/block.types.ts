/** What a viewer gets. A viewer never sees a tool name, and takes every text through {@link Texts}. */
import type { Block } from '@countersign/protocol/blocks';
import type { FunctionComponent } from 'preact';

/** How text may be shown: secrets masked, hidden characters visible (03 §4). */
export interface Texts {
  /** Of several lines. */
  show(text: string): string;
  /** On one line. */
  line(text: string): string;
  /** Whether the mask covers anything in this text. */
  hides(text: string): boolean;
}

export interface BlockProps {
  block: Block;
  texts: Texts;
}

export type Viewer = FunctionComponent<BlockProps>;
