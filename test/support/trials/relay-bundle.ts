/**
 * The relay's command as an operator starts it: what is built, bundled when the bundle is of that very build. `npm test`
 * and `npm run chaos|fuzz|abuse` build it before. Must not know what the relay does.
 */
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const server = new URL('../../../server/', import.meta.url);

/** The path of the command. @throws Error when nothing is built. */
export async function relayBundle(): Promise<string> {
  try {
    await access(new URL('dist/main.js', server));
  } catch {
    throw new Error('the relay is not built: npm run build');
  }
  return fileURLToPath(new URL('bin/countersign-relay.mjs', server));
}
