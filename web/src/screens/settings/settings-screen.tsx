/** Agents, this device, notifications, looks, lock, and what can be taken out. */
import './settings.css';
import { t } from '../../i18n/i18n.js';
import { AgentsSection } from './agents-section.js';
import { BypassesSection } from './bypasses-section.js';
import { DataSection } from './data-section.js';
import { LockSection } from './lock-section.js';
import { LooksSection } from './looks-section.js';
import { NoticesSection } from './notices-section.js';

export function SettingsScreen() {
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t('nav.settings')}</h1>
      </header>
      <AgentsSection />
      <BypassesSection />
      <NoticesSection />
      <LooksSection />
      <LockSection />
      <DataSection />
    </div>
  );
}
