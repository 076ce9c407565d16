#!/usr/bin/env node
/** Signs the built app: `node web/sign-release.mjs KEY.pem` (`openssl genpkey -algorithm ed25519` makes a key). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { signList } from './release-files.mjs';

const [keyFile] = process.argv.slice(2);
if (keyFile === undefined) {
  console.error('usage: node web/sign-release.mjs KEY.pem');
  process.exit(2);
}
const publicKey = signList(
  fileURLToPath(new URL('../server/app', import.meta.url)),
  readFileSync(keyFile, 'utf8'),
);
console.log(`Signed. The public key, for verify-app --key: ${publicKey}`);
