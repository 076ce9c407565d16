/** A short word about something, with a tone. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export type Tone = 'no' | 'warn' | 'yes' | undefined;

export function Chip(props: { tone?: Tone; icon?: IconName; children: ComponentChildren }) {
  return (
    <span class="chip" data-tone={props.tone}>
      {props.icon && <Icon name={props.icon} />}
      {props.children}
    </span>
  );
}
