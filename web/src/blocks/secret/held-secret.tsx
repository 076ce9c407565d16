/** Masked until pressed and held; gone again as soon as the finger, the key or the focus leaves. */
import { escapeInvisible, MASK } from '@countersign/protocol/blocks';
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import { Icon } from '../../parts/icon.js';

export function HeldSecret({ value }: { value: string }) {
  const [shown, setShown] = useState(false);
  const show = () => setShown(true);
  const hide = () => setShown(false);
  const isHolding = (key: string) => key === ' ' || key === 'Enter';
  return (
    <button
      type="button"
      class="value-secret"
      aria-label={t('block.secret')}
      onPointerDown={show}
      onPointerUp={hide}
      onPointerLeave={hide}
      onPointerCancel={hide}
      onKeyDown={({ key }) => isHolding(key) && show()}
      onKeyUp={hide}
      onBlur={hide}
      onContextMenu={(event) => event.preventDefault()}
    >
      <code>{shown ? escapeInvisible(value) : MASK}</code>
      <Icon name="eye" />
      <span class="small soft">{t('block.hold')}</span>
    </button>
  );
}
