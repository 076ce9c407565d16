import { createECDH } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isGlobalUnicast } from './addresses.js';
import { isAllowedEndpoint, parseSubscription } from './subscription.js';

const ecdh = createECDH('prime256v1');
const GOOD = {
  endpoint: 'https://web.push.apple.com/abc',
  p256dh: ecdh.generateKeys().toString('base64url'),
  auth: Buffer.alloc(16, 7).toString('base64url'),
};

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.170',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.168.1.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '0x7f000001',
    '2130706433',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::',
    '2002:c0a8:101::',
    '2620:4f:8000::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    'web.push.apple.com',
  ])('%s is not public', (address) => {
    expect(isGlobalUnicast(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '17.57.144.1',
    '100.63.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '198.20.0.1',
    '223.255.255.255',
    '::ffff:17.57.144.1',
    '64:ff9b::1139:9001',
    '2002:1139:9001::1',
    '2001:4860:4860::8888',
    '2606:4700::1',
    '2a00:1450::1',
  ])('%s is public', (address) => {
    expect(isGlobalUnicast(address)).toBe(true);
  });
});

describe('a subscription', () => {
  it('is read when it is whole', () => {
    expect(parseSubscription(JSON.stringify(GOOD))).toEqual({ ...GOOD, endpoint: new URL(GOOD.endpoint) });
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['numbers', JSON.stringify({ ...GOOD, auth: 7 })],
    ['no key', JSON.stringify({ ...GOOD, p256dh: undefined })],
    ['a compressed key', JSON.stringify({ ...GOOD, p256dh: ecdh.getPublicKey('base64url', 'compressed') })],
    ['a point off the curve', JSON.stringify({ ...GOOD, p256dh: `BA${'A'.repeat(85)}` })],
    ['a short secret', JSON.stringify({ ...GOOD, auth: 'AAAA' })],
    ['a relative endpoint', JSON.stringify({ ...GOOD, endpoint: '/push' })],
    [
      'an endpoint over 1,000 bytes',
      JSON.stringify({ ...GOOD, endpoint: `https://a.example/${'x'.repeat(983)}` }),
    ],
    ['more than 2,048 bytes', JSON.stringify({ ...GOOD, more: 'x'.repeat(1_900) })],
  ])('is refused: %s', (_, text) => {
    expect(parseSubscription(text)).toBeUndefined();
  });

  it('may have an endpoint of 1,000 bytes', () => {
    const endpoint = `https://a.example/${'x'.repeat(982)}`;
    expect(parseSubscription(JSON.stringify({ ...GOOD, endpoint }))).toBeDefined();
  });
});

describe('an endpoint', () => {
  const allows = (url: string, others: string[] = []): boolean => isAllowedEndpoint(new URL(url), others);

  it.each([
    ['https://fcm.googleapis.com/fcm/send/x', []],
    ['https://updates.push.services.mozilla.com/wpush/v2/x', []],
    ['https://web.push.apple.com/x', []],
    ['https://wns2-par02p.notify.windows.com/w/?token=x', []],
    ['https://ntfy.example/up', ['https://ntfy.example']],
    ['https://ntfy.example:8443/up', ['https://ntfy.example:8443']],
    ['https://ntfy.example/up', ['*']],
  ])('%s is allowed with %j', (url, others) => {
    expect(allows(url, others)).toBe(true);
  });

  it.each([
    ['http://web.push.apple.com/x', []],
    ['https://web.push.apple.com:8443/x', []],
    ['https://user@web.push.apple.com/x', []],
    ['https://:secret@web.push.apple.com/x', []],
    ['https://web.push.apple.com/x#y', []],
    ['https://web.push.apple.com.evil.example/x', []],
    ['https://evilnotify.windows.com/x', []],
    ['https://ntfy.example/up', []],
    ['https://ntfy.example:8443/up', ['https://ntfy.example']],
    ['https://ntfy.example:8443/up', ['*']],
    ['https://127.0.0.1/x', ['*']],
    ['https://2130706433/x', ['*']],
    ['https://[::ffff:127.0.0.1]/x', ['*']],
    ['https://[fd00::1]/x', ['https://[fd00::1]']],
  ])('%s is forbidden with %j', (url, others) => {
    expect(allows(url, others)).toBe(false);
  });
});
