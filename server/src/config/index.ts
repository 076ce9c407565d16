/** The relay's configuration. */
export { configError, settingOf } from './config-error.js';
export { printableConfig, settingsHelp } from './describe-config.js';
export { readInviteFile, writeInviteFile } from './invite-file.js';
export { loadConfig } from './load-config.js';
export { type PushSetup, readPush } from './push-setup.js';
export { parseConfig, type RelayConfig } from './relay-config.js';
export { variableOf } from './setting.js';
export { MEMORY, type RelayConfigInput } from './settings.js';
export { readTls } from './tls-files.js';
export { relayVersion } from './version.js';
