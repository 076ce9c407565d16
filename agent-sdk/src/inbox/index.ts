/** Items, decisions and everything sent about them. */
export { type AckBody, Acks } from './acks.js';
export { type Answer, type ArrivedAnswer, Decisions, type Prepared } from './decisions.js';
export { Items } from './items.js';
export { LiveSends } from './live-sends.js';
export { Notifier } from './notifier.js';
export { outcomeWords } from './outcome-words.js';
export { PushReports } from './push-reports.js';
export { Requests } from './requests.js';
export { Restart, type SeenAndUsed } from './restart.js';
export { runApproved } from './run-approved.js';
export { Secrets } from './secrets.js';
export { Snapshots } from './snapshots.js';
export type { Around, Wording, Words } from './wording.js';
