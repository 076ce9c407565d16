/**
 * Which addresses a stranger's endpoint may lead to: global unicast ones, also behind the forms of IPv6 that carry an
 * IPv4 address (RFC 6890 and the IANA special-purpose registries). Must not know names or URLs.
 */
import ipaddr from 'ipaddr.js';

/** Special use, and not told apart from the rest by the library. */
const SPECIAL = [
  // AS112, deprecated 6to4 relays, and protocol assignments.
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '192.0.0.0/24',
  // Documentation (RFC 9637), protocol assignments with Teredo, ORCHID and benchmarking (2001::/23).
  '3fff::/20',
  '2001::/23',
  '2620:4f:8000::/48',
].map((range) => ipaddr.parseCIDR(range));

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');
/** Prefixes with an IPv4 address inside, and where it starts. */
const CARRIERS = [
  { range: ipaddr.parseCIDR('::ffff:0:0/96'), at: 12 },
  { range: ipaddr.parseCIDR('64:ff9b::/96'), at: 12 },
  { range: ipaddr.parseCIDR('2002::/16'), at: 2 },
];

/** False for what is no address at all. A zone (`%eth0`) makes an address local. */
export function isGlobalUnicast(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = unwrap(ipaddr.parse(text));
  if (address.kind() === 'ipv6' && !inside(address, GLOBAL_IPV6)) return false;
  return address.range() === 'unicast' && !SPECIAL.some((range) => inside(address, range));
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const carrier = CARRIERS.find(({ range }) => inside(address, range));
  if (carrier === undefined) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(carrier.at, carrier.at + 4));
}

function inside(address: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range as [ipaddr.IPv4, number]);
}
