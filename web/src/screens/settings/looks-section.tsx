/** How the app looks and speaks. */
import { useApp } from '../../app/use-app.js';
import { t } from '../../i18n/i18n.js';
import { LANGUAGES, TEXT_SIZES, THEMES } from '../../state/settings.js';
import { Choice } from './controls.js';
import { Section } from './section.js';

export function LooksSection() {
  const { settings } = useApp();
  const { theme, textSize, language } = settings.values.value;
  return (
    <Section title={t('looks.title')}>
      <Choice
        label={t('looks.theme')}
        value={theme}
        options={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
        onChange={(value) => void settings.change({ theme: value })}
      />
      <Choice
        label={t('looks.textSize')}
        value={textSize}
        options={TEXT_SIZES.map((value) => ({ value, label: t(`textSize.${value}`) }))}
        onChange={(value) => void settings.change({ textSize: value })}
      />
      <Choice
        label={t('looks.language')}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: t(`language.${value}`) }))}
        onChange={(value) => void settings.change({ language: value })}
      />
    </Section>
  );
}
