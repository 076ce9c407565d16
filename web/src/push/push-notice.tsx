/** Whether notifications come, and what can be done when they do not. */
import './push.css';
import type { ComponentChildren } from 'preact';
import { useApp } from '../app/use-app.js';
import { t, type Words } from '../i18n/i18n.js';
import { Button } from '../parts/button.js';
import { Notice } from '../parts/notice.js';
import type { PushState } from './push.js';

const TONES: Partial<Record<PushState, 'warn' | 'yes'>> = {
  on: 'yes',
  denied: 'warn',
  failed: 'warn',
  partly: 'warn',
};

export function PushNotice({ children }: { children?: ComponentChildren }) {
  const { push } = useApp();
  const state = push.state.value;
  if (state === 'checking') return null;
  return (
    <div data-testid="push-state" data-state={state}>
      <Notice tone={TONES[state]} icon={state === 'on' ? 'check' : undefined} live>
        <span>{t(`push.${state}` satisfies Words)}</span>
        <span class="notice-acts">
          {state === 'default' && (
            <Button kind="main" testId="push-on" onClick={() => void push.turnOn()}>
              {t('push.turnOn')}
            </Button>
          )}
          {state === 'failed' && <Button onClick={() => void push.refresh()}>{t('tryAgain')}</Button>}
          {children}
        </span>
      </Notice>
    </div>
  );
}

/** In the inbox: only while there is something to do, until the person has it out of the way. */
export function PushHint() {
  const { push, settings } = useApp();
  const state = push.state.value;
  const isOpen = state === 'default' || state === 'denied' || state === 'home_screen';
  if (!isOpen || settings.values.value.pushHintClosed) return null;
  return (
    <PushNotice>
      <Button kind="plain" onClick={() => void settings.change({ pushHintClosed: true })}>
        {t(state === 'default' ? 'push.later' : 'dismiss')}
      </Button>
    </PushNotice>
  );
}
