/** Loaded before a program: SIGUSR2 then ends every worker thread it has started, as a fault in one would. */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

threads.Worker = class extends threads.Worker {
  constructor(...options) {
    super(...options);
    process.on('SIGUSR2', () => void this.terminate());
  }
};
syncBuiltinESMExports();
