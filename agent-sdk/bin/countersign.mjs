#!/usr/bin/env node
// Plain syntax and no static import: an old Node must get as far as the message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  import('../dist/cli/main.js');
} else {
  console.error(
    `Countersign needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
  process.exitCode = 5;
}
