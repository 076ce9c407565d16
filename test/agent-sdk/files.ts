/** Reads everything a directory holds, for tests that search it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All bytes of all files, as Latin-1 text. */
export function everyByteOf(dir: string): string {
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name)).toString('latin1'))
    .join('\n');
}
