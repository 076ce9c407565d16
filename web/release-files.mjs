/**
 * The list of an app's files with their hashes, and its signature (02 §6): what `countersign verify-app` compares a
 * host with. Uses nothing but Node.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const LIST = 'files.json';
export const SIGNATURE = 'files.json.sig';
/** Made for one machine or from another file of the list. */
const NOT_LISTED = /^\.|\.(gz|br)$|^files\.json/;

/** Every file below a folder, with forward slashes, in order. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

export function writeList(folder, version) {
  const files = filesBelow(folder)
    .filter((path) => !NOT_LISTED.test(path))
    .map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ]);
  const list = { format: 'countersign-app', v: 1, version, files: Object.fromEntries(files) };
  writeFileSync(join(folder, LIST), `${JSON.stringify(list, undefined, 1)}\n`);
}

/** Signs the bytes of the list with an Ed25519 key (PEM, PKCS #8). Gives the public key in hex. */
export function signList(folder, pem) {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The release key must be an Ed25519 key.');
  const signature = sign(null, readFileSync(join(folder, LIST)), key);
  writeFileSync(join(folder, SIGNATURE), `${signature.toString('hex')}\n`);
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}
