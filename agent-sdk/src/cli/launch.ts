/** `countersign relay …` and `countersign phone …`: programs of other packages, found by name. Must not import them. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInForeground } from './child.js';
import { usageError } from './exit-codes.js';
import type { Io } from './io.js';

interface Launched {
  readonly packageName: string;
  readonly bin: string;
}

export const LAUNCHED: Readonly<Record<string, Launched>> = {
  relay: { packageName: '@countersign/server', bin: 'countersign-relay' },
  phone: { packageName: '@countersign/client-sdk', bin: 'countersign-phone' },
};

/** Arguments, input, output and signals go to the program; its exit code is the result. */
export async function launch(command: string, args: readonly string[], io: Io): Promise<number> {
  const launched = Object.hasOwn(LAUNCHED, command) ? LAUNCHED[command] : undefined;
  const file = launched && findBin(launched);
  if (file === undefined) {
    throw usageError(
      `"countersign ${command}" is a package of its own. Install it: npm install ${launched?.packageName}`,
    );
  }
  const end = await runInForeground([process.execPath, file, ...args], io.cwd, io);
  return end.exitCode;
}

function findBin({ packageName, bin }: Launched): string | undefined {
  try {
    const manifest = fileURLToPath(import.meta.resolve(`${packageName}/package.json`));
    const { bin: bins } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: Record<string, string> };
    const path = bins?.[bin];
    return path === undefined ? undefined : join(dirname(manifest), path);
  } catch {
    return undefined;
  }
}
