/** Preload of a server under measurement (`node --import`): tells its parent what the process has used. */
import { readFileSync } from 'node:fs';

process.on('message', (message) => {
  if (message !== 'usage') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send?.({
    atMs: performance.now(),
    cpuMs: (user + system) / 1000,
    waitedMs: waitedMs(),
    memory: { rss, heapUsed, external, arrayBuffers },
  });
});
// The parent's end of this channel is no reason to go on.
process.channel?.unref();

/** Linux: time the main thread was ready to run and did not (sched-stats, nanoseconds). */
function waitedMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
