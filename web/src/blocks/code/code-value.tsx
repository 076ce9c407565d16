/** Code in monospace, coloured once the highlighter has come, with a way to copy it. */
import './code.css';
import { lazily } from '../../parts/lazily.js';
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';

export interface CodeTextProps {
  text: string;
  lang: string | undefined;
}

const Coloured = lazily<CodeTextProps>(
  () => import('./coloured-code.js').then(({ ColouredCode }) => ColouredCode),
  ({ text }) => <>{text}</>,
);

export function CodeValue({ block, texts }: BlockProps) {
  const shown = texts.show(block.value);
  return (
    <Monospace text={shown} copy={texts.hides(block.value) ? undefined : block.value}>
      <Coloured text={shown} lang={block.lang} />
    </Monospace>
  );
}
