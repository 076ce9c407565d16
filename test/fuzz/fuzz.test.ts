/** Hostile bytes against a live relay: the kept ones, and as many random ones as a test run has time for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealthyPair } from '../support/trials/healthy-pair.js';
import { RawSocket } from '../support/trials/raw-socket.js';
import { RelayProcess } from '../support/trials/relay-process.js';
import frames from './corpus/frames.json' with { type: 'json' };
import seeds from './corpus/seeds.json' with { type: 'json' };
import upgrades from './corpus/upgrades.json' with { type: 'json' };
import { Couple, type Side } from './couple.js';
import { fuzz } from './fuzz.js';

const FRAMES = 20_000;
const TIMEOUT_MS = 300_000;

describe('a relay', () => {
  let relay: RelayProcess;
  let couple: Couple;
  let pair: HealthyPair;

  beforeAll(async () => {
    relay = await RelayProcess.start({ settings: { openBeforeLoginPerAddress: 1000 } });
    couple = new Couple(relay.port);
    pair = await HealthyPair.open({ url: relay.url });
  }, TIMEOUT_MS);
  afterAll(async () => {
    pair.close();
    couple.close();
    await relay.close();
  });

  it.each(frames)('is not troubled by $name', async ({ at, fate, bytes }) => {
    await couple.ready();
    const sent = new Uint8Array(Buffer.from(bytes, 'hex'));
    await couple.send(at as Side, [sent]);
    expect(couple.isConnected(at as Side)).toBe(fate === 'stays');
    await pair.talk();
  });

  it.each(upgrades)('is not troubled by an upgrade with $name', async ({ text }) => {
    const socket = new RawSocket({ port: relay.port });
    socket.write(Buffer.from(text, 'latin1'));
    socket.socket.end();
    await socket.upgraded();
    socket.destroy();
    await pair.talk();
  });

  it('has not crashed', () => {
    expect(relay.crash).toBeUndefined();
  });
});

describe('random frames, handshakes and upgrades', () => {
  it(
    `do a relay no harm, ${FRAMES} of them`,
    async () => {
      const share = Math.ceil(FRAMES / seeds.length);
      for (const seed of seeds) {
        const { memoryMb, pairMs } = await fuzz({ seed, frames: share });
        expect(pairMs.messages).toBeGreaterThan(0);
        expect(memoryMb.end - memoryMb.warm).toBeLessThan(100);
      }
    },
    TIMEOUT_MS,
  );
});
