/** Puts theme and text size on the document; the style sheets do the rest. */
import type { SettingValues } from '../state/settings.js';

export function applyLook(
  { theme, textSize }: Pick<SettingValues, 'theme' | 'textSize'>,
  root: HTMLElement = document.documentElement,
): void {
  root.dataset.theme = theme;
  root.dataset.text = textSize;
}
