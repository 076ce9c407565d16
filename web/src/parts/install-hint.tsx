/** How the app gets onto the home screen, for the platform at hand. */
import { t } from '../i18n/i18n.js';
import { installHint } from '../state/install-hint.js';
import { Notice } from './notice.js';

export function InstallHint() {
  const hint = installHint();
  return hint === undefined ? null : <Notice icon="download">{t(`install.${hint}`)}</Notice>;
}
