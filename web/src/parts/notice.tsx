/** A sentence that stands out, and what can be done about it. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export interface NoticeProps {
  tone?: 'warn' | 'no' | 'yes' | undefined;
  icon?: IconName | undefined;
  /** Read out when it appears. */
  live?: boolean | undefined;
  id?: string | undefined;
  children: ComponentChildren;
}

export function Notice({
  tone,
  icon = tone === undefined ? 'info' : 'alert',
  live,
  id,
  children,
}: NoticeProps) {
  return (
    <div class="notice" data-tone={tone} role={live ? 'status' : undefined} id={id}>
      <Icon name={icon} />
      <div class="notice-text">{children}</div>
    </div>
  );
}
