/** The two forms of a pairing invitation (02 §5). Knows no connection. */
import { namespaceOf } from './crypto.js';

/** In the order of 03 §1: bit i of a link is the i-th. */
export const FEATURES = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'schema',
  'arguments_text',
  'session',
  'fs1',
  'bypasses',
] as const;

export interface Invitation {
  relayUrl: string;
  agentEd: Buffer;
  agentX: Buffer;
  token: Buffer;
  name?: string;
  exp?: number;
  supports?: string[];
  bound?: boolean;
}

export function readLink(link: string): Invitation {
  const bytes = Buffer.from(link.slice(link.indexOf('#p=') + 3), 'base64url');
  if (bytes[0] !== 1) throw new Error('unknown version');
  const bits = bytes.readUInt32BE(101);
  const urlEnd = 106 + bytes.readUInt8(105);
  const nameEnd = urlEnd + 1 + bytes.readUInt8(urlEnd);
  if (nameEnd !== bytes.length) throw new Error('wrong length');
  return {
    agentEd: bytes.subarray(1, 33),
    agentX: bytes.subarray(33, 65),
    token: bytes.subarray(65, 97),
    exp: bytes.readUInt32BE(97),
    supports: FEATURES.filter((_, i) => (bits >>> i) & 1),
    bound: bits >>> 31 === 1,
    relayUrl: bytes.toString('utf8', 106, urlEnd),
    name: bytes.toString('utf8', urlEnd + 1, nameEnd),
  };
}

export function writeLink(invitation: Invitation, appUrl = 'http://127.0.0.1/app/'): string {
  const { agentEd, agentX, token, exp = 0, supports = [], bound = true, relayUrl, name = '' } = invitation;
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(exp);
  const bits = FEATURES.reduce((sum, feature, i) => sum + (supports.includes(feature) ? 2 ** i : 0), 0);
  numbers.writeUInt32BE(bits + (bound ? 2 ** 31 : 0), 4);
  const short = (text: string) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
  const all = [Buffer.from([1]), agentEd, agentX, token, numbers, short(relayUrl), short(name)];
  return `${appUrl}#p=${Buffer.concat(all).toString('base64url')}`;
}

/** The original JSON form; ours adds members only when they are there. */
export function writeJson(invitation: Invitation): string {
  const { agentEd, agentX, token, exp, supports, bound, relayUrl, name } = invitation;
  return JSON.stringify({
    v: 1,
    relay_url: relayUrl,
    namespace_id: namespaceOf(agentEd).toString('hex'),
    agent_ed25519_pub: agentEd.toString('hex'),
    agent_x25519_pub: agentX.toString('hex'),
    pairing_token: token.toString('hex'),
    ...(name === undefined ? {} : { name }),
    ...(exp === undefined ? {} : { exp }),
    ...(supports === undefined ? {} : { supports }),
    ...(bound === true ? { rb: 1 } : {}),
  });
}

export function readJson(text: string): Invitation {
  const qr = JSON.parse(text) as Record<string, string>;
  const hex = (name: string) => Buffer.from(qr[name] ?? '', 'hex');
  const agentEd = hex('agent_ed25519_pub');
  if (!namespaceOf(agentEd).equals(hex('namespace_id'))) throw new Error('namespace is not that of the key');
  return {
    agentEd,
    agentX: hex('agent_x25519_pub'),
    token: hex('pairing_token'),
    relayUrl: qr.relay_url ?? '',
  };
}
