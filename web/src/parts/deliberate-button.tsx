/**
 * The one more act that high risk asks for: the device's own unlock where it is set up, else a button that must be
 * held.
 */
import { useApp } from '../app/use-app.js';
import { t } from '../i18n/i18n.js';
import { Button } from './button.js';
import { HoldButton } from './hold-button.js';

export interface DeliberateButtonProps {
  label: string;
  off: boolean;
  describedBy?: string | undefined;
  testId?: string | undefined;
  wide?: boolean | undefined;
  onDone(): void;
}

export function DeliberateButton({ label, off, describedBy, testId, wide, onDone }: DeliberateButtonProps) {
  const { lock } = useApp();
  if (!lock.isSetUp.value) {
    return (
      <HoldButton
        icon="check"
        label={label}
        hint={t('hold.hint')}
        off={off}
        describedBy={describedBy}
        testId={testId}
        onHeld={onDone}
      />
    );
  }
  const unlock = async () => {
    if (await lock.verify()) onDone();
  };
  return (
    <Button
      kind="yes"
      icon="lock"
      wide={wide}
      off={off}
      describedBy={describedBy}
      testId={testId}
      onClick={() => void unlock()}
    >
      {label}
    </Button>
  );
}
