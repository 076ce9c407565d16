/** What is there for who asks: closed at first. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

export function Fold({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary>
        <Icon name="forward" />
        {label}
      </summary>
      {children}
    </details>
  );
}
