/** The agent's durable state. */
export { type AgentStore, openAgentStore, type Tables } from './agent-store.js';
export type { BypassRow } from './bypasses-table.js';
export type { DatabaseOptions } from './database.js';
export type { DeviceRow } from './devices-table.js';
export type { HeldRow } from './held-table.js';
export type { EndState, ItemEnd, ItemKind, ItemRow, ItemState, RunState } from './items-table.js';
export type { MetaKey } from './meta-table.js';
export type { PairingRow, PairingState } from './pairings-table.js';
export type { ReportedPush, SentPush } from './pushes-table.js';
export type { WindowRow } from './windows-table.js';
