/**
 * Where the bundle of the relay is, and whether it was made of what is built: then it is what starts. Must not know
 * how it is made.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const BUNDLE = 'dist/bundle';
export const STAMP = 'built-from.json';
/** What the compiler says of what it built; the protocol's lies elsewhere once the relay is installed from a registry. */
const BUILDS = [
  'dist/tsbuildinfo',
  '../protocol/dist/protocol.tsbuildinfo',
  '../protocol/dist/platform.tsbuildinfo',
];

/** Which builds it would be made of now, each file's path → its hash; without those that are not there. */
export function builtFrom(server) {
  const there = BUILDS.filter((build) => existsSync(join(server, build)));
  return Object.fromEntries(there.map((build) => [build, hashOf(join(server, build))]));
}

/** Whether there is a bundle, and every build that is there is the one it was made of. */
export function isCurrent(server) {
  const stamp = join(server, BUNDLE, STAMP);
  if (!existsSync(stamp)) return false;
  const bundled = JSON.parse(readFileSync(stamp, 'utf8'));
  return Object.entries(builtFrom(server)).every(([build, hash]) => bundled[build] === hash);
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
