/**
 * `npm run abuse -- --attempts N`: every attack one after another. Its figures as JSON on standard error, as a table on
 * standard output. `--only N` takes the N-th alone, `--hurried 1` shortens the times of the limits.
 */
import { numbersFrom } from '../support/trials/arguments.js';
import { type AttackReport, attack } from './attack.js';
import { ATTACKS } from './attacks/index.js';
import { tableOf } from './table.js';

const { attempts, only, hurried } = numbersFrom(process.argv.slice(2), {
  attempts: 10_000,
  only: 0,
  hurried: 0,
});
const plans = only === 0 ? ATTACKS : ATTACKS.slice(only - 1, only);
const reports: AttackReport[] = [];
for (const plan of plans) {
  console.error(plan.name);
  reports.push(await attack(plan, { attempts, hurried: hurried === 1 }));
  console.error(JSON.stringify(reports.at(-1)));
}
console.log(tableOf(reports));
