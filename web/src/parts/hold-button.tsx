/**
 * A button that must be held: one more deliberate act for what is high risk. Works with finger, mouse, space and
 * enter; letting go early does nothing. With reduced motion the bar jumps, the time stays.
 */
import './hold-button.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

/** Long enough to be no slip, short enough to be no chore. */
export const HOLD_MS = 1200;

export interface HoldButtonProps {
  icon: IconName;
  label: string;
  hint: string;
  off?: boolean | undefined;
  describedBy?: string | undefined;
  testId?: string | undefined;
  onHeld(): void;
}

export function HoldButton({ icon, label, hint, off = false, describedBy, testId, onHeld }: HoldButtonProps) {
  const [holding, setHolding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => {
    clearTimeout(timer.current);
    setHolding(false);
  };
  const press = () => {
    if (off || holding) return;
    setHolding(true);
    timer.current = setTimeout(() => {
      setHolding(false);
      onHeld();
    }, HOLD_MS);
  };
  useEffect(() => release, []);
  return (
    <button
      type="button"
      class="button hold"
      data-kind="yes"
      data-holding={holding}
      data-testid={testId}
      aria-disabled={off ? 'true' : undefined}
      aria-describedby={describedBy}
      onPointerDown={press}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={(event) => {
        if (event.key !== ' ' && event.key !== 'Enter') return;
        event.preventDefault();
        if (!event.repeat) press();
      }}
      onKeyUp={release}
      onBlur={release}
      onContextMenu={(event) => event.preventDefault()}
    >
      <span class="hold-bar" aria-hidden="true" />
      <span class="hold-words">
        <Icon name={icon} />
        {label}
        <span class="visually-hidden">{hint}</span>
      </span>
    </button>
  );
}
