/** The relay's listeners. */
export { listenOps, type Readiness } from './ops-server.js';
export { listen, type RunningServer } from './relay-server.js';
