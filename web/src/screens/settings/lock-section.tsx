/** The device's own unlock in front of this app. */
import { useState } from 'preact/hooks';
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { Notice } from '../../parts/notice.js';
import { Switch } from './controls.js';
import { Section } from './section.js';

export function LockSection() {
  const { lock } = useApp();
  const [failed, setFailed] = useState(false);
  const change = async (on: boolean) => setFailed(!(await (on ? lock.setUp() : lock.remove())));
  return (
    <Section title={t('lock.title')}>
      <Switch
        label={t('lock.use')}
        text={t('lock.text')}
        on={lock.isSetUp.value}
        onChange={(on) => void change(on)}
      />
      {failed && (
        <Notice tone="warn" live>
          {t('lock.failed')}
        </Notice>
      )}
    </Section>
  );
}
