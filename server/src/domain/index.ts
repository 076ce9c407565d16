/** The rules of the relay. */
export type { Ticket } from './admission/admission.js';
export type { PushPorts } from './push/pushes.js';
export { Relay } from './relay.js';
export type { RegistrationPolicy, RelayLimits, RelaySettings } from './settings.js';
