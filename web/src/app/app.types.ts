/** What every screen works with. Each part is a module of `state`; screens must not know storage or the SDK behind them. */
import type { Push } from '../push/push.js';
import type { Agents } from '../state/agents.js';
import type { Clock } from '../state/clock.js';
import type { Device } from '../state/device.js';
import type { History } from '../state/history.js';
import type { Lock } from '../state/lock.js';
import type { Messages } from '../state/messages.js';
import type { Route } from '../state/route.js';
import type { Settings } from '../state/settings.js';
import type { Tabs } from '../state/tabs.js';

export interface App {
  readonly device: Device;
  readonly agents: Agents;
  readonly history: History;
  readonly messages: Messages;
  readonly lock: Lock;
  readonly settings: Settings;
  readonly push: Push;
  readonly route: Route;
  readonly clock: Clock;
  readonly tabs: Tabs;
}
