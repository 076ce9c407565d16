/** Buttons. A disabled one stays reachable and says why, so that nobody wonders. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export interface ButtonProps {
  kind?: 'main' | 'yes' | 'no' | 'danger' | 'plain' | undefined;
  icon?: IconName | undefined;
  wide?: boolean | undefined;
  /** Not possible now; `why` is read out with it. */
  off?: boolean | undefined;
  describedBy?: string | undefined;
  type?: 'button' | 'submit' | undefined;
  testId?: string | undefined;
  onClick?: (() => void) | undefined;
  children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind, icon, wide, off = false, describedBy, type = 'button', testId, onClick, children } = props;
  return (
    <button
      type={type}
      class="button"
      data-kind={kind}
      data-wide={wide}
      data-testid={testId}
      aria-disabled={off ? 'true' : undefined}
      aria-describedby={describedBy}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps {
  icon: IconName;
  label: string;
  pressed?: boolean | undefined;
  onClick(): void;
}

export function IconButton({ icon, label, pressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
