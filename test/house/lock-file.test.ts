/** What the lock file brings must run on the oldest Node we promise. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { expect, it } from 'vitest';
import { root } from './source-graph.js';

const OLDEST_NODE = '20.19.0';

interface LockedPackage {
  engines?: { node?: string } | undefined;
  hasInstallScript?: boolean;
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  allowScripts: Record<string, boolean>;
};

it(`every locked package runs on Node ${OLDEST_NODE}`, () => {
  const refusing = Object.entries(lock.packages)
    .filter(
      ([, entry]) => entry.engines?.node !== undefined && !semver.satisfies(OLDEST_NODE, entry.engines.node),
    )
    .map(([path, entry]) => `${path} wants ${entry.engines?.node}`);
  expect(refusing).toEqual([]);
});

it('every install script is decided by name', () => {
  const undecided = Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
    .filter((name) => !Object.hasOwn(manifest.allowScripts, name) && name !== 'fsevents');
  expect(undecided).toEqual([]);
});
