/** What the relay tells its operator. */
export { type EventLog, openEventLog } from './event-log.js';
export { type StartUpFacts, startUpText } from './start-up-text.js';
