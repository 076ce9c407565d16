/** How this device tells that something waits. */
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { PushNotice } from '../../push/push-notice.js';
import { Switch } from './controls.js';
import { Section } from './section.js';

const NIGHT = { from: '22:00', to: '07:00' } as const;

export function NoticesSection() {
  const { settings, device } = useApp();
  const values = settings.values.value;
  const setPrivate = (privatePreviews: boolean) => {
    void settings.change({ privatePreviews });
    // An agent that cannot be told now is told at the next login.
    device.client.setPrivatePreviews(privatePreviews).catch(() => undefined);
  };
  return (
    <Section title={t('notices.title')}>
      <PushNotice />
      <Switch
        label={t('notices.private')}
        text={t('notices.privateText')}
        on={values.privatePreviews}
        onChange={setPrivate}
      />
      <Switch
        label={t('notices.sounds')}
        text={t('notices.soundsText')}
        on={values.sounds}
        onChange={(sounds) => void settings.change({ sounds })}
      />
      <Switch
        label={t('notices.quiet')}
        text={t('notices.quietText')}
        on={values.quietHours !== null}
        onChange={(on) => void settings.change({ quietHours: on ? NIGHT : null })}
      />
      {values.quietHours !== null && <QuietHours />}
    </Section>
  );
}

function QuietHours() {
  const { settings } = useApp();
  const hours = settings.values.value.quietHours ?? NIGHT;
  const change = (part: 'from' | 'to', value: string) => {
    if (value !== '') void settings.change({ quietHours: { ...hours, [part]: value } });
  };
  return (
    <div class="setting quiet">
      {(['from', 'to'] as const).map((part) => (
        <div class="field" key={part}>
          <label for={`quiet-${part}`}>{t(`notices.${part}`)}</label>
          <input
            id={`quiet-${part}`}
            class="input"
            type="time"
            value={hours[part]}
            onChange={(event) => change(part, event.currentTarget.value)}
          />
        </div>
      ))}
    </div>
  );
}
