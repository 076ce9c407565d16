/**
 * `npm run abuse -- --attempts N`: every attack. A line for each on standard error as it ends, then the table of the
 * docs; all figures as JSON on standard output. `--only N` takes the N-th alone, `--hurried 1` shortens the times of the
 * limits, `--relays N` tries upon so many relays side by side, `--minutes N` begins no attack after so long.
 */
import { minutesFrom, numbersFrom } from '../support/trials/arguments.js';
import type { AttackReport } from './attack.js';
import { ATTACKS } from './attacks/index.js';
import { siege } from './siege.js';
import { tableOf } from './table.js';

const { attempts, only, hurried, relays, minutes } = numbersFrom(process.argv.slice(2), {
  attempts: 10_000,
  only: 0,
  hurried: 0,
  relays: 1,
  minutes: 0,
});
const plans = only === 0 ? ATTACKS : ATTACKS.slice(only - 1, only);
const reports = new Map<string, AttackReport>();
const failures: string[] = [];
const goesOn = minutesFrom(minutes);
await siege(
  plans,
  { attempts, hurried: hurried === 1, relays, goesOn },
  {
    onReport: (plan, report) => {
      reports.set(plan.name, report);
      const { seconds, relayCpuSeconds } = report;
      const done = reports.size + failures.length;
      console.error(
        `${done} of ${plans.length}, ${seconds} s, the relay computed ${relayCpuSeconds} s: ${plan.name}`,
      );
    },
    onFailure: ({ name }, error) => {
      failures.push(String(error));
      console.error(
        `${String(error)}\nAgain: npm run abuse -- --only ${1 + ATTACKS.findIndex((plan) => plan.name === name)}`,
      );
    },
  },
);
const done = plans.flatMap(({ name }) => reports.get(name) ?? []);
console.error(tableOf(done));
console.log(
  JSON.stringify(
    { attempts, leftOut: plans.length - done.length - failures.length, failures, attacks: done },
    null,
    2,
  ),
);
process.exit(failures.length > 0 ? 1 : 0);
