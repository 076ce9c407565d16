/** Every limit of 01 §6 reached by an attack, while a healthy pair goes on talking and memory stays bounded. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Attack, AttackReport } from './attack.js';
import { ATTACKS } from './attacks/index.js';
import { siege } from './siege.js';

const ATTEMPTS = 1000;
const TIMEOUT_MS = 600_000;
/** With the attackers' own process, and another test file beside. */
const RELAYS = 2;

describe('a relay withstands', () => {
  const ends = new Map<Attack, PromiseWithResolvers>();

  beforeAll(() => {
    for (const plan of ATTACKS) ends.set(plan, withResolvers());
    void siege(
      ATTACKS,
      { attempts: ATTEMPTS, hurried: true, relays: RELAYS },
      {
        onReport: (plan, report) => ends.get(plan)?.resolve(report),
        onFailure: (plan, error) => ends.get(plan)?.reject(error),
      },
    );
  });

  it.each(ATTACKS)(
    '$name',
    async (plan) => {
      const report = await ends.get(plan)?.promise;
      expect(report?.pairMs.messages).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

interface PromiseWithResolvers {
  readonly promise: Promise<AttackReport>;
  readonly resolve: (report: AttackReport) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [(report: AttackReport) => void, (error: unknown) => void] = [
    () => undefined,
    () => undefined,
  ];
  const promise = new Promise<AttackReport>((onReport, onFailure) => {
    [resolve, reject] = [onReport, onFailure];
  });
  // The test that asks for it may come later.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
