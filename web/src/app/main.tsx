/** Where the page begins. Order matters: the fragment goes first. */
import './taken-link.js';
import './no-eval.js';
import '../theme/index.css';
import { render } from 'preact';
import { openApp } from './open-app.js';
import { Shell } from './shell.js';
import { Trouble } from './trouble.js';
import { AppContext } from './use-app.js';

const place = document.getElementById('app') as HTMLElement;

try {
  const app = await openApp();
  render(
    <AppContext.Provider value={app}>
      <Shell />
    </AppContext.Provider>,
    place,
  );
} catch (error) {
  render(<Trouble error={error} />, place);
}
