import { describe, expect, it } from 'vitest';
import type { Channels, TrustedDevice } from '../devices/index.js';
import { LiveSends, MAX_UNDELIVERED_TRACKED } from './live-sends.js';

const device = { id: 'ab', pairing: {} } as TrustedDevice;

function liveSends(capabilities: string[] = []) {
  let sent = 0;
  const told: Array<() => void> = [];
  const link = {
    state: { phase: 'online' as const },
    capabilities: new Set(capabilities),
    sendLive: async (_channel: unknown, _payload: object, options: { undelivered?: () => void } = {}) => {
      sent++;
      if (options.undelivered) told.push(options.undelivered);
      return 'written' as const;
    },
  };
  const live = new LiveSends(() => link, { of: async () => ({}) } as unknown as Channels);
  return { live, told, sent: () => sent };
}

describe('a live message', () => {
  it('that did not arrive is the newest one, and nothing more is sent until the device is there', async () => {
    const { live, sent } = liveSends();
    const undelivered: string[] = [];
    await live.send(device, {}, () => undelivered.push('first'));
    await live.send(device, {}, () => undelivered.push('second'));
    live.onPeerOffline('ab');
    expect(undelivered).toEqual(['second']);
    expect(await live.send(device, {}, () => {})).toBe('offline');
    expect(sent()).toBe(2);
    expect(live.onReachable('ab')).toBe(true);
    expect(live.onReachable('ab')).toBe(false);
    expect(await live.send(device, {}, () => {})).toBe('written');
  });

  it('is followed up for the newest few only', async () => {
    const { live } = liveSends();
    const undelivered: number[] = [];
    for (let n = 0; n <= MAX_UNDELIVERED_TRACKED; n++) await live.send(device, {}, () => undelivered.push(n));
    for (let n = 0; n <= MAX_UNDELIVERED_TRACKED; n++) live.onPeerOffline('ab');
    expect(undelivered).toHaveLength(MAX_UNDELIVERED_TRACKED);
    expect(undelivered).not.toContain(0);
  });

  it('that the relay names is that one, and no other is taken for it', async () => {
    const { live, told } = liveSends(['ref']);
    const undelivered: string[] = [];
    await live.send(device, {}, () => undelivered.push('first'));
    await live.send(device, {}, () => undelivered.push('second'));
    live.onPeerOffline('ab');
    expect(undelivered).toEqual([]);
    told[0]?.();
    expect(undelivered).toEqual(['first']);
    expect(live.isReachable('ab')).toBe(false);
  });

  it('of an earlier login is no longer followed up', async () => {
    const { live } = liveSends();
    const undelivered: number[] = [];
    await live.send(device, {}, () => undelivered.push(1));
    live.onLogin();
    live.onPeerOffline('ab');
    expect(undelivered).toEqual([]);
  });
});
