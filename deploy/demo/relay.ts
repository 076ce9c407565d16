/** Starts the demo's relay on loopback; a busy port gives way to the next. */
import { CountersignError } from '@countersign/protocol';
import { type RunningRelay, startRelay } from '@countersign/server';

const PORTS_TO_TRY = 20;

/** @throws CountersignError `port_in_use` when {@link PORTS_TO_TRY} ports in a row are taken. */
export async function startDemoRelay(
  dataFile: string,
  port: number,
  say: (line: string) => void,
): Promise<RunningRelay> {
  for (let next = port; ; next++) {
    try {
      return await startRelay({ port: next, store: dataFile, opsPort: 'off' });
    } catch (error) {
      const busy = error instanceof CountersignError && error.code === 'port_in_use';
      if (!busy || next - port + 1 >= PORTS_TO_TRY) throw error;
      say(`Port ${next} is taken, trying ${next + 1}.`);
    }
  }
}
