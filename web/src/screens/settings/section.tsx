/** A group of settings under a heading. */
import type { ComponentChildren } from 'preact';

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="settings-section">
      <h2>{title}</h2>
      <div class="panel settings-panel">{children}</div>
    </section>
  );
}
