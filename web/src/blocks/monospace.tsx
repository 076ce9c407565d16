/** Text whose columns count. Long lines run sideways unless the person wraps them. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../parts/button.js';

export interface MonospaceProps {
  text: string;
  /** What the copy button takes; absent: nothing may be copied (it holds a secret). */
  copy?: string | undefined;
  /** Wrapped at first. */
  wraps?: boolean | undefined;
  /** The text dressed up, in place of it. */
  children?: ComponentChildren;
}

export function Monospace({ text, copy, wraps = false, children }: MonospaceProps) {
  const [wrapped, setWrapped] = useState(wraps);
  return (
    <div class="mono">
      <div class="mono-tools">
        <IconButton
          icon="wrap"
          label={t('block.wrap')}
          pressed={wrapped}
          onClick={() => setWrapped(!wrapped)}
        />
        {copy !== undefined && <Copy text={copy} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre class="mono-text" data-wrap={wrapped} tabIndex={0}>
        {children ?? text}
      </pre>
    </div>
  );
}

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = () => {
    // A browser may refuse; then the button simply does not say "copied".
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => undefined,
    );
  };
  return (
    <>
      <IconButton icon={done ? 'check' : 'copy'} label={done ? t('copied') : t('copy')} onClick={copy} />
      <span class="visually-hidden" role="status">
        {done ? t('copied') : ''}
      </span>
    </>
  );
}
