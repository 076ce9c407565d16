/** Devices of an agent: pairing, trust, names, removal. */
export { Admission } from './admission.js';
export { Authorizer } from './authorizer.js';
export { Channels } from './channels.js';
export { collapseOf } from './collapse.js';
export { DeviceBook, knownId, noSuchDevice, type TrustedDevice } from './device-book.js';
export { AGENT_FEATURES, withAnnounced } from './features.js';
export { type OpenSession, openSession, type SessionSettings } from './pairing-session.js';
export { removeDevice, removeDeviceRows } from './removal.js';
export { Windows } from './windows.js';
