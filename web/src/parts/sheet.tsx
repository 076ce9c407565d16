/** A dialog that comes from below on phones. The browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../i18n/i18n.js';
import { IconButton } from './button.js';

export interface SheetProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // A tap beside it closes it, as Escape does.
    shown?.addEventListener('click', (event) => event.target === shown && shown.close());
  }, []);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={heading} onClose={onClose}>
      <div class="sheet-body">
        <div class="sheet-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" label={t('close')} onClick={() => dialog.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
