/**
 * What an address is counted by (01 §6): an IPv4 address by itself, an IPv6 address by its /64, /56 and /48.
 * Must not know what is counted.
 */

export interface AddressPrefix {
  readonly key: string;
  /** A wider prefix may do so many times what one address may. */
  readonly factor: number;
}

/** A /56 is what a household gets, a /48 what a site gets: they hold more than one machine. */
const IPV6_PREFIXES = [
  { groups: 4, mask: 0xffff, bits: 64, factor: 1 },
  { groups: 4, mask: 0xff00, bits: 56, factor: 2 },
  { groups: 3, mask: 0xffff, bits: 48, factor: 4 },
] as const;

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** From the text of a socket's address or of a trusted header; what cannot be read shares one key. */
export function prefixesOf(address: string): readonly AddressPrefix[] {
  const text = MAPPED.exec(address)?.[1] ?? address;
  if (/^\d+\.\d+\.\d+\.\d+$/.test(text)) return [{ key: `4:${text}`, factor: 1 }];
  const groups = ipv6Groups(text);
  if (groups === undefined) return [{ key: 'unknown', factor: 1 }];
  return IPV6_PREFIXES.map(({ groups: count, mask, bits, factor }) => {
    const kept = groups.slice(0, count);
    kept[count - 1] = (kept[count - 1] ?? 0) & mask;
    return { key: `6/${bits}:${kept.map((group) => group.toString(16)).join(':')}`, factor };
  });
}

/** The eight groups of an IPv6 text (RFC 4291 §2.2), its zone left out; undefined when it is none. */
function ipv6Groups(text: string): number[] | undefined {
  const [head = '', tail, extra] = withoutDottedTail(text.replace(/%.*$/, '')).split('::');
  if (extra !== undefined) return undefined;
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const missing = 8 - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...first, ...Array.from({ length: missing }, () => 0), ...last];
  return groups.every((group) => Number.isInteger(group)) ? groups : undefined;
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text
    .split(':')
    .map((group) => (/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN));
}

/** `64:ff9b::192.0.2.1` ends like an IPv4 address: two groups. */
function withoutDottedTail(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
}
