/** How a screen gets at the app's state. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { App } from './app.types.js';

export const AppContext = createContext<App | undefined>(undefined);

/** @throws Error outside the tree that `main.tsx` renders. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('rendered outside the app');
  return app;
}
