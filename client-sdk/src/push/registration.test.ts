import { describe, expect, it } from 'vitest';
import type { PushRegistration } from '../api.js';
import {
  MAX_ENDPOINT_BYTES,
  MAX_SUBSCRIPTION_BYTES,
  MAX_TOKEN_BYTES,
  registrationFor,
  storedRegistration,
} from './registration.js';

const POINT = `B${'A'.repeat(86)}`;
const AUTH = 'A'.repeat(22);
const keys = { p256dh: POINT, auth: AUTH };
const endpoint = 'https://push.example/1';
const web = (change: object = {}): PushRegistration => ({
  platform: 'web',
  subscription: { endpoint, keys, ...change },
  vapidKey: POINT,
});
const ofBytes = (bytes: number) => `${endpoint}${'x'.repeat(bytes - endpoint.length)}`;

describe('a registration', () => {
  it('of an iPhone is its token in lower case, of an Android phone as it is, with the app it belongs to', () => {
    expect(storedRegistration({ platform: 'ios', token: 'AB'.repeat(32), app: 'a.b' })).toEqual({
      deviceToken: 'ab'.repeat(32),
      app: 'a.b',
      vapidKey: undefined,
    });
    const token = 'fX_-:APA91b';
    expect(storedRegistration({ platform: 'android', token }).deviceToken).toBe(token);
  });

  it('of a browser, and of UnifiedPush, is the subscription as a relay takes it, and nothing else of it', () => {
    const subscription = { endpoint, keys: { ...keys, more: 'x' }, expirationTime: 1 };
    const deviceToken = JSON.stringify({ endpoint, p256dh: POINT, auth: AUTH });
    expect(storedRegistration({ platform: 'web', subscription, vapidKey: POINT })).toEqual({
      deviceToken,
      app: undefined,
      vapidKey: POINT,
    });
    expect(storedRegistration({ platform: 'android', subscription }).deviceToken).toBe(deviceToken);
  });

  it.each<[string, PushRegistration]>([
    ['an empty token', { platform: 'ios', token: '' }],
    ['an odd token', { platform: 'ios', token: 'a'.repeat(65) }],
    ['a token of Apple that is too long', { platform: 'ios', token: 'ab'.repeat(101) }],
    ['a token of Google that is too long', { platform: 'android', token: 'x'.repeat(MAX_TOKEN_BYTES + 1) }],
    ['a token with a line in it', { platform: 'android', token: 'a\nb' }],
    ['an empty app', { platform: 'ios', token: 'ab'.repeat(32), app: '' }],
    ['a long app', { platform: 'ios', token: 'ab'.repeat(32), app: 'x'.repeat(65) }],
    ['no endpoint', web({ endpoint: undefined })],
    ['an endpoint without TLS', web({ endpoint: 'http://push.example/1' })],
    ['no URL', web({ endpoint: 'push' })],
    ['an endpoint that is too long', web({ endpoint: ofBytes(MAX_ENDPOINT_BYTES + 1) })],
    ['no keys', web({ keys: undefined })],
    ['a short key', web({ keys: { ...keys, p256dh: POINT.slice(2) } })],
    ['a compressed key', web({ keys: { ...keys, p256dh: `A${POINT.slice(1)}` } })],
    ['a short secret', web({ keys: { ...keys, auth: 'AAAA' } })],
    ['no base64', web({ keys: { ...keys, auth: '%'.repeat(22) } })],
    ['a wrong VAPID key', { ...web(), vapidKey: 'x' } as PushRegistration],
  ])('with %s is refused before anything is stored', (_, registration) => {
    expect(() => storedRegistration(registration)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('of the longest endpoint is within what a relay takes', () => {
    const { deviceToken } = storedRegistration(web({ endpoint: ofBytes(MAX_ENDPOINT_BYTES) }));
    expect(deviceToken.length).toBeLessThan(MAX_SUBSCRIPTION_BYTES);
  });

  it('of another platform than the pairing is refused', () => {
    expect(() => registrationFor('android', web())).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
    expect(registrationFor('web', web()).vapidKey).toBe(POINT);
  });
});
