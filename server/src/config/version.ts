/** Which version of the relay this is, as its package says. */
import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../package.json', import.meta.url);

export function relayVersion(): string {
  return (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version;
}
