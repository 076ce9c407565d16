/** From nothing to a relay that listens. */
import { type Row, rowOf } from '../support/report.js';
import type { RunOptions } from '../support/run-options.js';
import { startRelay, startScript } from '../support/server-process.js';
import { newFolder } from '../support/world.js';

const BARE = 'console.log("listens on nothing:")';

export async function start({ pairs }: RunOptions): Promise<Row[]> {
  const folder = newFolder();
  const [ours, others]: [number[], number[]] = [[], []];
  try {
    // One more than is counted: the first finds cold files.
    for (let pair = 0; pair <= pairs; pair++) {
      const relay = await startRelay({ store: folder.file });
      ours.push(relay.startMs);
      await relay.stop();
      const bare = await startScript(BARE);
      others.push(bare.startMs);
      await bare.stop();
    }
  } finally {
    folder.remove();
  }
  return [
    rowOf({
      what: 'start to ready, with a data file',
      unit: 'ms',
      baseline: 'Node that prints a line',
      reach: { atMost: 4 },
      ours: ours.slice(1),
      others: others.slice(1),
    }),
  ];
}
