import { describe, expect, it } from 'vitest';
import { Authorities } from './authority.js';

const options = {
  publicHosts: ['relay.example', 'other.example:8443'],
  loopback: true,
  port: 8787,
  secure: false,
};

describe('the authority a challenge is bound to', () => {
  it.each([
    ['relay.example', 'relay.example'],
    ['RELAY.example', 'relay.example'],
    ['relay.example:443', 'relay.example'],
    ['other.example:8443', 'other.example:8443'],
    ['localhost:8787', 'localhost:8787'],
    ['127.0.0.1:8787', '127.0.0.1:8787'],
    ['[::1]:8787', '[::1]:8787'],
  ])('is %s as configured: %s', (host, name) => {
    expect(new Authorities(options).of(host)).toEqual({ name, isKnown: true });
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost',
    'localhost:1',
    '127.0.0.1.evil.example:8787',
    'relay.example:80',
  ])('of %s is the first public host, marked unknown', (host) => {
    expect(new Authorities(options).of(host)).toEqual({ name: 'relay.example', isKnown: false });
  });

  it('is no loopback name when the relay is bound beyond loopback', () => {
    expect(new Authorities({ ...options, loopback: false }).of('localhost:8787').isKnown).toBe(false);
  });

  it.each([
    [80, false],
    [443, true],
  ])('leaves out port %d where it is the default', (port, secure) => {
    expect(new Authorities({ ...options, port, secure }).of('localhost').name).toBe('localhost');
    expect(new Authorities({ ...options, port, secure }).of(`localhost:${port}`).name).toBe('localhost');
  });

  it('falls back to localhost without public hosts', () => {
    expect(new Authorities({ ...options, publicHosts: [] }).of('evil.example').name).toBe('localhost:8787');
  });
});

describe('the own origins', () => {
  it('are https only when the relay ends TLS itself', () => {
    const known = { name: 'relay.example', isKnown: true };
    const network = { ...options, loopback: false };
    expect(new Authorities(network).ownOrigins(known)).toEqual([
      'https://relay.example',
      'http://relay.example',
    ]);
    expect(new Authorities({ ...network, secure: true }).ownOrigins(known)).toEqual([
      'https://relay.example',
    ]);
  });

  it('are those of all loopback names with the own port on loopback', () => {
    const origins = new Authorities(options).ownOrigins({ name: 'localhost:8787', isKnown: true });
    for (const name of ['localhost', '127.0.0.1', '[::1]']) expect(origins).toContain(`http://${name}:8787`);
    expect(origins.filter((origin) => !origin.endsWith(':8787'))).toEqual([]);
  });

  it('are none for a Host nobody configured', () => {
    expect(new Authorities(options).ownOrigins({ name: 'relay.example', isKnown: false })).toEqual([]);
  });
});
