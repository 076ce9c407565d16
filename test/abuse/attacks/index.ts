/** Every attack, in the order of the table in the docs. */
import type { Attack } from '../attack.js';
import { ADDRESS_ATTACKS } from './addresses.js';
import { BEFORE_LOGIN_ATTACKS } from './before-login.js';
import { MESSAGE_ATTACKS } from './messages.js';
import { REGISTRATION_ATTACKS } from './registration.js';
import { SILENCE_ATTACKS } from './silence.js';

export const ATTACKS: readonly Attack[] = [
  ...ADDRESS_ATTACKS,
  ...BEFORE_LOGIN_ATTACKS,
  ...REGISTRATION_ATTACKS,
  ...MESSAGE_ATTACKS,
  ...SILENCE_ATTACKS,
];
