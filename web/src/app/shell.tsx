/** The frame around every screen: navigation, and on wide pages the inbox beside what is open. */
import { useEffect } from 'preact/hooks';
import { t } from '../i18n/i18n.js';
import { Icon, type IconName } from '../parts/icon.js';
import { InboxScreen } from '../screens/inbox/inbox-screen.js';
import { NothingOpen } from '../screens/item/nothing-open.js';
import { type Place, placeHash } from '../state/route.js';
import { HandedOver } from './handed-over.js';
import { fetchItemScreen, HistoryScreen, ItemScreen, PairScreen, SettingsScreen } from './later-screens.js';
import { LockScreen } from './lock-screen.js';
import { takenLink } from './taken-link.js';
import { useApp } from './use-app.js';
import { useWide } from './use-wide.js';

export function Shell() {
  const { route, device, lock, tabs } = useApp();
  const wide = useWide();
  const place = route.place.value;
  useEffect(fetchItemScreen, []);
  useEffect(() => {
    if (takenLink.value !== undefined) route.go({ screen: 'pair' });
  }, [takenLink.value]);
  if (tabs.handedOver.value) return <HandedOver tabs={tabs} />;
  if (lock.isLocked.value) return <LockScreen />;
  const isFirstUse = device.pairings.value.length === 0 && place.screen === 'inbox';
  const hasList = wide && !isFirstUse && (place.screen === 'inbox' || place.screen === 'item');
  return (
    <div class="shell" data-place={place.screen} data-columns={hasList ? undefined : '2'}>
      <Tabs place={place} waiting={device.inbox.value.badge} />
      {hasList && (
        <div class="list-column">
          <InboxScreen />
        </div>
      )}
      <main class="main-column">
        {hasList && place.screen === 'inbox' ? <NothingOpen /> : <Screen place={place} />}
      </main>
    </div>
  );
}

function Screen({ place }: { place: Place }) {
  switch (place.screen) {
    case 'inbox':
      return <InboxScreen />;
    case 'item':
      return <ItemScreen key={`${place.pairingId}/${place.requestId}`} place={place} />;
    case 'history':
      return <HistoryScreen />;
    case 'settings':
      return <SettingsScreen />;
    case 'pair':
      return <PairScreen />;
  }
}

function Tabs({ place, waiting }: { place: Place; waiting: number }) {
  return (
    <nav class="tabs" aria-label={t('nav.label')}>
      <Tab screen="inbox" icon="inbox" label={t('nav.inbox')} place={place} count={waiting} />
      <Tab screen="history" icon="history" label={t('nav.history')} place={place} />
      <Tab screen="settings" icon="settings" label={t('nav.settings')} place={place} />
    </nav>
  );
}

interface TabProps {
  screen: 'inbox' | 'history' | 'settings';
  icon: IconName;
  label: string;
  place: Place;
  count?: number;
}

function Tab({ screen, icon, label, place, count = 0 }: TabProps) {
  const { route } = useApp();
  const current = place.screen === screen || (screen === 'inbox' && place.screen === 'item');
  return (
    <a
      href={placeHash({ screen })}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        event.preventDefault();
        route.go({ screen });
      }}
    >
      <span class="tab-icon">
        <Icon name={icon} />
        {count > 0 && (
          <span class="tab-count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </span>
      <span>{label}</span>
      {count > 0 && <span class="visually-hidden">{t('nav.waiting', { count })}</span>}
    </a>
  );
}
