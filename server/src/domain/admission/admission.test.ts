import { describe, expect, it } from 'vitest';
import { RelayClock } from '../../../../test/support/relay/relay-clock.js';
import { parseConfig } from '../../config/index.js';
import { prefixesOf } from './address-prefix.js';
import { Admission, type Ticket } from './admission.js';
import { RateWindow } from './rate-window.js';
import { TokenBucket } from './token-bucket.js';
import { WaitingRoom } from './waiting-room.js';

const settings = (change = {}) => ({ ...parseConfig(change), allowedAgents: [] });
const keys = (address: string) => prefixesOf(address).map(({ key, factor }) => `${key} ×${factor}`);

describe('what an address is counted by', () => {
  it.each([
    ['192.0.2.7', ['4:192.0.2.7 ×1']],
    ['::ffff:192.0.2.7', ['4:192.0.2.7 ×1']],
    ['2001:db8:1:2ff::1', ['6/64:2001:db8:1:2ff ×1', '6/56:2001:db8:1:200 ×2', '6/48:2001:db8:1 ×4']],
    ['::1', ['6/64:0:0:0:0 ×1', '6/56:0:0:0:0 ×2', '6/48:0:0:0 ×4']],
    ['fe80::1%eth0', ['6/64:fe80:0:0:0 ×1', '6/56:fe80:0:0:0 ×2', '6/48:fe80:0:0 ×4']],
    ['64:ff9b::192.0.2.33', ['6/64:64:ff9b:0:0 ×1', '6/56:64:ff9b:0:0 ×2', '6/48:64:ff9b:0 ×4']],
    ['1:2:3:4:5:6:7:8', ['6/64:1:2:3:4 ×1', '6/56:1:2:3:0 ×2', '6/48:1:2:3 ×4']],
  ])('%s', (address, expected) => {
    expect(keys(address)).toEqual(expected);
  });

  it.each([
    '',
    'nonsense',
    '1:2:3',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    ':::',
    'g::',
    '1:2:3:4:5:6:7::8',
  ])('%j cannot be read and shares one key', (address) => {
    expect(keys(address)).toEqual(['unknown ×1']);
  });
});

describe('a rate window', () => {
  const key = [{ key: 'a', factor: 1 }];

  it('is full at its limit and empty after its time', () => {
    const window = new RateWindow({ limit: 2, windowMs: 1000 });
    window.charge(key, 0);
    window.charge(key, 400);
    expect(window.waitMs(key, 400)).toBe(600);
    expect(window.waitMs(key, 1000)).toBe(0);
  });

  it('gives a charge back, but not one of an earlier window', () => {
    const window = new RateWindow({ limit: 1, windowMs: 1000 });
    window.charge(key, 0);
    window.refund(key, 0);
    expect(window.waitMs(key, 1)).toBe(0);
    window.charge(key, 2000);
    window.refund(key, 0);
    expect(window.waitMs(key, 2001)).toBe(999);
  });

  it('remembers a bounded number of keys', () => {
    const window = new RateWindow({ limit: 1, windowMs: 1000, maxKeys: 3 });
    for (let i = 0; i < 10; i++) window.charge([{ key: String(i), factor: 1 }], 0);
    expect(window.size).toBe(3);
    expect(window.waitMs([{ key: '9', factor: 1 }], 0)).toBe(1000);
  });
});

describe('admission', () => {
  const ticketOf = (result: ReturnType<Admission['admit']>): Ticket => {
    if ('refused' in result) throw new Error(result.refused);
    return result.ticket;
  };

  it('gives places back when connections end, once', () => {
    const admission = new Admission(settings({ maxConnections: 2 }), new RelayClock());
    const first = ticketOf(admission.admit('192.0.2.1'));
    ticketOf(admission.admit('192.0.2.2'));
    expect(admission.admit('192.0.2.3')).toEqual({ refused: 'relay_full', retryAfterSeconds: 5 });
    first.closed();
    first.closed();
    expect(admission.connections).toBe(1);
  });

  it('lets many log in from one address', () => {
    const admission = new Admission(
      settings({ openBeforeLoginPerAddress: 1, newConnectionsPerAddressPerMinute: 1 }),
      new RelayClock(),
    );
    for (let i = 0; i < 5; i++) ticketOf(admission.admit('192.0.2.1')).loggedIn();
    const waiting = ticketOf(admission.admit('192.0.2.1'));
    expect(admission.admit('192.0.2.1')).toMatchObject({ refused: 'address_rate' });
    waiting.closed();
    expect(admission.admit('192.0.2.1')).toMatchObject({ refused: 'address_rate' });
  });
});

describe('the waiting room', () => {
  function room(max: number) {
    const clock = new RelayClock();
    const waiting = new WaitingRoom(settings({ maxConnectionsBeforeLogin: max }), clock);
    const events: string[] = [];
    const guest = (name: string) => ({
      onDeadline: () => events.push(`${name} late`),
      onCrowdedOut: () => events.push(`${name} out`),
    });
    return { clock, waiting, events, guest };
  }

  it('ends each after its own 30 s', () => {
    const { clock, waiting, events, guest } = room(100);
    waiting.enter(guest('a'));
    clock.advance(10_000);
    waiting.enter(guest('b'));
    clock.advance(20_000);
    expect(events).toEqual(['a late']);
    clock.advance(10_000);
    expect(events).toEqual(['a late', 'b late']);
  });

  it('forgets who left', () => {
    const { clock, waiting, events, guest } = room(100);
    const a = guest('a');
    waiting.enter(a);
    waiting.enter(guest('b'));
    waiting.leave(a);
    clock.advance(30_000);
    expect(events).toEqual(['b late']);
  });

  it('drops the oldest when it is full', () => {
    const { waiting, events, guest } = room(2);
    for (const name of ['a', 'b', 'c', 'd']) waiting.enter(guest(name));
    expect(events).toEqual(['a out', 'b out']);
    expect(waiting.size).toBe(2);
  });

  it('lets nobody stay longer than 5 s while more than half of the places are taken', () => {
    const { clock, waiting, events, guest } = room(4);
    for (const name of ['a', 'b', 'c']) waiting.enter(guest(name));
    clock.advance(5_000);
    expect(events).toEqual(['a late']);
    clock.advance(25_000);
    expect(events).toEqual(['a late', 'b late', 'c late']);
  });
});

describe('a token bucket', () => {
  it('pays debt before it fills', () => {
    const bucket = new TokenBucket({ burst: 10, perSecond: 2 }, 0);
    for (let i = 0; i < 14; i++) bucket.take(0);
    expect(bucket.level(0)).toBe(-4);
    expect(bucket.waitMs(1, 0)).toBe(2500);
    expect(bucket.level(2500)).toBe(1);
    expect(bucket.level(1_000_000)).toBe(10);
  });

  it('keeps what was spent when it grows or shrinks', () => {
    const bucket = new TokenBucket({ burst: 10, perSecond: 1 }, 0);
    bucket.take(0);
    bucket.resize({ burst: 50, perSecond: 5 }, 0);
    expect(bucket.level(0)).toBe(49);
    bucket.resize({ burst: 10, perSecond: 1 }, 0);
    expect(bucket.level(0)).toBe(9);
  });
});
