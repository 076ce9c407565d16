/** 01 §5 while everything fails: what was accepted arrives, once and in order. */
import { expect, it } from 'vitest';
import { chaos } from './chaos.js';

const KILLS = 25;
const SEED = 1;
const TIMEOUT_MS = 600_000;

it(
  `nothing is lost, doubled or out of order while the relay is killed ${KILLS} times`,
  async () => {
    const { kills, applied, queued, accepted } = await chaos({ seed: SEED, kills: KILLS });
    expect(kills).toBe(KILLS);
    expect(accepted).toBeGreaterThan(0);
    expect(applied).toBeGreaterThanOrEqual(queued);
  },
  TIMEOUT_MS,
);
