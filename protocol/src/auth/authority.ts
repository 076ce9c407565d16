/** The name of a relay as its challenge is bound to it. Must not know sockets or configuration. */
import { CountersignError, parseUrl } from '../frames/index.js';

const SCHEMES: ReadonlySet<string> = new Set(['ws:', 'wss:', 'http:', 'https:']);

/**
 * `host[:port]` of a relay URL: lower case, IDNA in ASCII, IPv6 in brackets, the port only when it is not the
 * scheme's default (01 §3; WHATWG URL).
 * @throws CountersignError `invalid_request` when it is no ws, wss, http or https URL.
 */
export function authorityOf(relayUrl: string): string {
  const url = parseUrl(relayUrl);
  if (url === undefined || !SCHEMES.has(url.protocol)) {
    throw new CountersignError('invalid_request', 'A relay URL looks like wss://relay.example');
  }
  return url.host;
}
