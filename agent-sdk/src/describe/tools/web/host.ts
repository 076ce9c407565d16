/** What a host's name alone says: this machine, a private network, a cloud's own service, a collector. */
import { high, normal, type Reason } from '../told.js';

/** Services that give a machine in a cloud its credentials. */
const METADATA: ReadonlySet<string> = new Set([
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '[fd00:ec2::254]', '168.63.129.16'],
  ...['metadata.google.internal', 'metadata.azure.internal', 'instance-data'],
]);
/** Sites that show whatever is sent to them, or lead to a machine nobody knows. */
const COLLECTORS =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|requestcatcher\.com|beeceptor\.com|oast\.(?:pro|live|site|online|fun|me)|interact\.sh|burpcollaborator\.net|pastebin\.com|paste\.ee|hastebin\.com|transfer\.sh|file\.io|0x0\.st|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|serveo\.net)$/;
const LOOPBACK =
  /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f:]+\])$/;
const PRIVATE_V4 =
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
const PRIVATE_V6 = /^\[f(?:[cd]|e[89ab])/;
const PRIVATE_NAME = /(?:^[^.:[\]]+|\.(?:local|internal|intranet|lan|corp|home|home\.arpa))$/;

/** `name` as the URL standard writes it: lower case, IPv6 in brackets, numbers as dotted decimals. */
export function hostReasons(name: string): Reason[] {
  const host = name.replace(/\.$/, '');
  if (METADATA.has(host)) return [high(`${host} gives out the credentials of a cloud machine`)];
  if (LOOPBACK.test(host)) return [normal(`${host} is the machine itself`)];
  if (PRIVATE_V4.test(host) || PRIVATE_V6.test(host) || PRIVATE_NAME.test(host))
    return [normal(`${host} is in a private network`)];
  if (COLLECTORS.test(host)) return [normal(`${host} passes on what it gets to whoever set it up`)];
  return /^(?:\d+\.\d+\.\d+\.\d+|\[.*\])$/.test(host) ? [normal(`${host} is an address without a name`)] : [];
}

/** Whether whatever is sent there is as good as published. */
export function isCollector(name: string): boolean {
  return COLLECTORS.test(name.replace(/\.$/, ''));
}
