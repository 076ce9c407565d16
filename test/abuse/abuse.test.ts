/** Every limit of 01 §6 reached by an attack, while a healthy pair goes on talking and memory stays bounded. */
import { describe, expect, it } from 'vitest';
import { attack } from './attack.js';
import { ATTACKS } from './attacks/index.js';

const ATTEMPTS = 1000;
const TIMEOUT_MS = 300_000;
/** Each has a relay process of its own. */
const AT_ONCE = 3;

const waiting: Array<() => void> = [];
let running = 0;

async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  while (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await run();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

describe('a relay withstands', () => {
  it.concurrent.each(ATTACKS)(
    '$name',
    async (plan) => {
      const { pairMs } = await inTurn(() => attack(plan, { attempts: ATTEMPTS, hurried: true }));
      expect(pairMs.messages).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
