/** The bus of a relay that is one process. */
export { openLocalBus } from './local-bus.js';
