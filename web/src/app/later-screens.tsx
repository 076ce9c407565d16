/** Screens that the first load does without. */
import { lazily } from '../parts/lazily.js';

const Nothing = () => null;

const loadItem = () => import('../screens/item/item-screen.js').then((module) => module.ItemScreen);
export const ItemScreen = lazily(loadItem, Nothing);

/** The screen that comes next is fetched while nothing else is to do. */
export function fetchItemScreen(): void {
  setTimeout(() => {
    // Without a network it is fetched when it is needed.
    loadItem().catch(() => undefined);
  }, 0);
}

export const HistoryScreen = lazily(
  () => import('../screens/history/history-screen.js').then((module) => module.HistoryScreen),
  Nothing,
);
export const PairScreen = lazily(
  () => import('../screens/pair/pair-screen.js').then((module) => module.PairScreen),
  Nothing,
);
export const SettingsScreen = lazily(
  () => import('../screens/settings/settings-screen.js').then((module) => module.SettingsScreen),
  Nothing,
);
