/** The device's connection for a moment, where no page has it. */
import { type Client, openClient } from '@countersign/client-sdk';
import type { Opened, WorkerPorts } from './ports.js';
import { alertHandedOver } from './show-alert.js';

/** Whatever else arrives meanwhile is shown like any push. @throws CountersignError as `openClient`. */
export function openHere({ storage }: Opened, ports: WorkerPorts): Promise<Client> {
  return openClient({ storage, onAlert: (alert) => alertHandedOver(alert, ports) });
}
