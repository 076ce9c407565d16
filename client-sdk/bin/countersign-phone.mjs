#!/usr/bin/env node
// Asks for the Node version first: an older one would only show a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`countersign-phone needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exitCode = 2;
} else {
  await import('../dist/cli/main.js');
}
