#!/usr/bin/env node
// Looks at the version before anything is imported that an older Node cannot even parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  const { fileURLToPath } = await import('node:url');
  const { BUNDLE, isCurrent } = await import('./bundle.mjs');
  const isBundled = isCurrent(fileURLToPath(new URL('..', import.meta.url)));
  await import(isBundled ? `../${BUNDLE}/main.js` : '../dist/main.js');
} else {
  console.error(`countersign-relay needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
}
