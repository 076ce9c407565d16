/**
 * Whether a challenge was made by the relay that was dialled (01 §3), and if not, by which one as far as that
 * can be guessed: a challenge proves a name without saying it. Must not know sockets or frames.
 */
import { isBoundTo } from '../auth/index.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** None, the usual ones of the web, and the one a relay listens on unless told otherwise. */
const PORTS = ['', ':80', ':443', ':8080', ':8443', ':8787'];

/** The authority the nonce is bound to, among the likely ones; undefined when it is none of them. */
export async function guessAuthority(nonce: Uint8Array, dialled: string): Promise<string | undefined> {
  const { host, port } = splitAuthority(dialled);
  const bare = host.replace(/^www\./, '');
  const hosts = [host, bare, `www.${bare}`, ...LOOPBACK];
  const ports = [port === '' ? '' : `:${port}`, ...PORTS];
  for (const name of new Set(hosts.flatMap((h) => ports.map((p) => h + p)))) {
    if (await isBoundTo(nonce, name)) return name;
  }
  return undefined;
}

function splitAuthority(authority: string): { host: string; port: string } {
  const [, host = authority, port = ''] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  return { host, port };
}
