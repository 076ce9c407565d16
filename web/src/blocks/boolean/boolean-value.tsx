/** Yes or no; any other text stays what it is. */
import { t } from '../../i18n/i18n.js';
import { Icon } from '../../parts/icon.js';
import type { BlockProps } from '../block.types.js';

export function BooleanValue({ block, texts }: BlockProps) {
  const isYes = block.value === 'true';
  if (!isYes && block.value !== 'false') return <span class="value-text">{texts.show(block.value)}</span>;
  return (
    <span class="value-boolean" data-yes={isYes}>
      <Icon name={isYes ? 'check' : 'cross'} />
      {isYes ? t('yes') : t('no')}
    </span>
  );
}
