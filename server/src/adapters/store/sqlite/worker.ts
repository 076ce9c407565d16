/**
 * Entry of the store's thread: the only place where the file is read and written. Must not know connections;
 * a commit that waits for the disk holds up nothing but this thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.js';
import { openingFailure } from './failures.js';
import { createGroupCommit } from './group-commit.js';
import type { FromThread, PackedRequest, Request, ThreadOptions, ToThread } from './messages.js';
import { createOperations, type OperationName } from './operations/index.js';
import { pack, unpack } from './packed-bytes.js';

function say(message: FromThread): void {
  parentPort?.postMessage(message, message.type === 'committed' ? [message.bytes.buffer as ArrayBuffer] : []);
}

function requestsOf(requests: readonly PackedRequest[], bytes: Uint8Array): Request[] {
  return requests.map(({ operation, args, start }) => ({
    operation,
    args: unpack(args, bytes, start) as unknown[],
  }));
}

/**
 * What a loss of costs one repeated send or report: such a batch does not wait for the disk, only for its place in the
 * log. A later commit that waits makes it durable too.
 */
const MAY_BE_LOST: ReadonlySet<OperationName> = new Set([
  'takePushBatch',
  'settlePush',
  'hastenPushes',
  'dropReports',
]);

function serve({ database, limits }: ThreadOptions): void {
  const { db, close } = openDatabase(database);
  const operations = createOperations(db, limits);
  const group = createGroupCommit(db, ({ operation, args }: Request) =>
    (operations[operation] as (...args: readonly unknown[]) => unknown)(...args),
  );
  let isWaiting = true;
  const waitForDisk = (needed: boolean) => {
    if (needed !== isWaiting) db.pragma(`synchronous = ${needed ? 'FULL' : 'NORMAL'}`);
    isWaiting = needed;
  };
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'batch') {
      waitForDisk(message.requests.some(({ operation }) => !MAY_BE_LOST.has(operation)));
      const [began, committingMs] = [performance.now(), group.committingMs];
      const outcomes = group.run(requestsOf(message.requests, message.bytes));
      const took = { runMs: performance.now() - began, commitMs: group.committingMs - committingMs };
      const { shape, bytes } = pack(outcomes);
      say({ type: 'committed', outcomes: shape, bytes, took });
      return;
    }
    close();
    parentPort?.close();
  });
  say({ type: 'opened' });
}

try {
  serve(workerData as ThreadOptions);
} catch (error) {
  say({ type: 'failed', failure: openingFailure(error) });
  parentPort?.close();
}
