/** Markdown laid out, and as it was written for who wants to see that. */
import './markdown.css';
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Button } from '../../parts/button.js';
import { lazily } from '../../parts/lazily.js';
import type { BlockProps } from '../block.types.js';

export interface MarkdownTextProps {
  /** Masked and with hidden characters visible. */
  text: string;
}

function Source({ text }: MarkdownTextProps) {
  return <div class="value-text value-body">{text}</div>;
}

const LaidOut = lazily<MarkdownTextProps>(
  () => import('./laid-out-markdown.js').then(({ LaidOutMarkdown }) => LaidOutMarkdown),
  Source,
);

export function MarkdownValue({ block, texts }: BlockProps) {
  const [asWritten, setAsWritten] = useState(false);
  const text = texts.show(block.value);
  return (
    <>
      {asWritten ? <Source text={text} /> : <LaidOut text={text} />}
      <Button kind="plain" onClick={() => setAsWritten(!asWritten)}>
        {asWritten ? t('block.laidOut') : t('block.asWritten')}
      </Button>
    </>
  );
}
