/** Removing a device with everything kept for it. Must not know who asked for it. */
import type { Core } from '../agent/core.js';
import type { Tables } from '../store/index.js';
import type { Channels } from './channels.js';

/** Inside a transaction: keys, counters, held messages, bypasses, acks and what waits to be sent. */
export function removeDeviceRows(core: Pick<Core, 'store'>, tables: Tables, device: string): boolean {
  for (const row of tables.pairings.ofDevice(device)) tables.windows.close(row.windowId);
  tables.bypasses.removeDevice(device);
  tables.itemDevices.removeDevice(device);
  tables.answers.removeDevice(device);
  tables.pushes.removeDevice(device);
  core.store.dropOutboxOf(device);
  return tables.devices.remove(device);
}

/** The same as a transaction of its own; false when there was no such device. */
export function removeDevice(core: Pick<Core, 'store'>, channels: Channels, device: string): boolean {
  const rows = core.store.tables.pairings.ofDevice(device);
  const removed = core.store.transaction((tables) => removeDeviceRows(core, tables, device));
  for (const row of rows) channels.forget(row.channelId);
  core.store.scrub();
  return removed;
}
