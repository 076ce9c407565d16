/**
 * Where an address leads, whatever it looks like: the host a program would ask, in the letters the network uses
 * (RFC 3490, WHATWG URL), and everything about the address that misleads. Looks nothing up. Must not know tools.
 */

import { domainToUnicode } from 'node:url';
import { parseUrl } from '@countersign/protocol';
import { findSecrets } from '@countersign/protocol/blocks';
import { high, normal, type Reason } from '../told.js';
import { hostReasons } from './host.js';
import { foreignLetters, lookalike, mixedLetters } from './letters.js';

export interface Address {
  /** As given. */
  readonly text: string;
  /** Lower case, `xn--` for letters beyond ASCII, with the port where it is not the usual one. */
  readonly host: string;
  readonly scheme: string;
  /** Path and query as given. */
  readonly path: string;
  /** The host in its own letters, where it has such. */
  readonly reads: string | undefined;
  readonly reasons: readonly Reason[];
}

/** Longer addresses are read this far; the host stands at their beginning. */
const MAX_UNITS = 65_536;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]{0,31}):/;
/** `example.com/x`, `localhost:3000`: what people and tools write without a scheme. */
const BARE = /^(?:[^\s/?#:@\\]{1,253}\.[^\s/?#:@\\]{1,63}|localhost)(?::\d{1,5})?(?:[/?#]|$)/;
const WRITTEN =
  /^[A-Za-z][A-Za-z0-9+.-]{0,31}:[/\\]{0,8}(?:[^/?#\\]{0,2048}@)?(\[[^\]]{0,64}\]|[^/?#\\:]{0,512})/;
const USERINFO = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:[/\\]{0,8}([^/?#\\]{0,2048})@/;
const NETWORK: ReadonlySet<string> = new Set([
  'http:',
  'https:',
  'ws:',
  'wss:',
  'ftp:',
  'sftp:',
  'ssh:',
  'git:',
]);

/** Undefined for what no program would take for an address. Never throws. */
export function readAddress(given: string): Address | undefined {
  const text = given.slice(0, MAX_UNITS);
  const trimmed = text.trim();
  const whole =
    BARE.test(trimmed) && !/^[a-z][a-z0-9+-]*:(?!\d)/i.test(trimmed) ? `https://${trimmed}` : trimmed;
  const url = SCHEME.test(whole) ? parseUrl(whole) : undefined;
  if (url === undefined) return undefined;
  const scheme = url.protocol;
  if (scheme === 'file:' || !(NETWORK.has(scheme) || url.host !== '')) return local(given, url);
  const name = url.hostname;
  const unicode = name.includes('xn--') ? domainToUnicode(name) : '';
  const reads = unicode === '' || unicode === name ? undefined : unicode;
  return {
    ...{ text: given, host: url.host, scheme, path: pathOf(whole), reads },
    reasons: [
      ...letterReasons(name, reads),
      ...writingReasons(whole, text, name),
      ...hostReasons(name),
      ...(scheme === 'http:' || scheme === 'ftp:' ? plainReasons(name) : []),
      ...(findSecrets(trimmed).length > 0 ? [high('the address holds a secret')] : []),
    ],
  };
}

/** Every address in a text, each once; the text is looked at so far. */
export function addressesIn(text: string, most = 10): string[] {
  const found = text.slice(0, MAX_UNITS).match(/https?:\/\/[^\s"'<>`]{1,2048}/gi) ?? [];
  return [...new Set(found.map((one) => one.replace(/[.,;:!?)\]}]+$/, '')))].slice(0, most);
}

/** A scheme that asks no host. */
function local(text: string, url: URL): Address {
  const scheme = url.protocol;
  const does = new Map([
    ['file:', 'reads a file of this machine'],
    ['javascript:', 'runs a script in the page that is open'],
    ['data:', 'opens content that stands in the address itself'],
  ]).get(scheme);
  const reasons = scheme === 'about:' ? [] : [high(does ?? `opens ${scheme} with whatever program takes it`)];
  return { text, host: '', scheme, path: text.slice(scheme.length), reads: undefined, reasons };
}

function pathOf(whole: string): string {
  const at = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:[/\\]{0,8}[^/?#\\]*/.exec(whole)?.[0].length ?? whole.length;
  return whole.slice(at);
}

function letterReasons(name: string, reads: string | undefined): Reason[] {
  if (reads === undefined) return [];
  const like = lookalike(reads);
  if (like !== undefined) return [high(`the host looks like ${like} but is ${name}`)];
  if (mixedLetters(reads)) return [high(`the host ${name} mixes letters of different alphabets`)];
  return foreignLetters(reads) ? [normal(`the host ${name} has letters beyond a to z`)] : [];
}

/** What is written that is not what is asked. */
function writingReasons(whole: string, text: string, name: string): Reason[] {
  const login = USERINFO.exec(whole.replace(/[\t\n\r]/g, ''))?.[1];
  const written = (WRITTEN.exec(whole.replace(/[\t\n\r]/g, ''))?.[1] ?? '').toLowerCase();
  const isAscii = /^[ -~]*$/.test(written);
  return [
    ...(login === undefined ? [] : [loginReason(login, name)]),
    ...(isAscii && written !== name ? [high(`the host is written ${written} and means ${name}`)] : []),
    ...(/[\t\n\r]/.test(text.trim())
      ? [high('line breaks or tabs inside the address are left out by programs')]
      : []),
    ...(/^[A-Za-z][A-Za-z0-9+.-]{0,31}:[/\\]*\\/.test(whole) || /^[^?#]*\\/.test(whole)
      ? [normal('backslashes in the address count as slashes')]
      : []),
  ];
}

/** `https://bank.example@evil.example`: the bank is a user's name. */
function loginReason(login: string, name: string): Reason {
  const user = login.split(':')[0] ?? '';
  return /[^.]\.[A-Za-z]{2,}(?:$|[^A-Za-z])/.test(user)
    ? high(`${user} before the @ is only a login: the host is ${name}`)
    : normal('the address holds a login');
}

function plainReasons(name: string): Reason[] {
  return /^(?:localhost|127\.|\[::1\])/.test(name) ? [] : [normal('the connection is not encrypted')];
}
