/**
 * `npm run chaos -- --seed N --kills N --minutes N`: the whole trial, its figures as JSON on standard output. It ends
 * after so many kills, or so many minutes.
 */
import { freshSeed, minutesFrom, numbersFrom } from '../support/trials/arguments.js';
import { chaos } from './chaos.js';

const { seed, kills, minutes } = numbersFrom(process.argv.slice(2), {
  seed: freshSeed(),
  kills: 200,
  minutes: 0,
});
console.error(`seed ${seed}`);
const onProgress = (done: number): void => {
  if (done % 10 === 0) console.error(`${done} of ${kills} kills`);
};
console.log(JSON.stringify(await chaos({ seed, kills, onProgress, goesOn: minutesFrom(minutes) }), null, 2));
process.exit(0);
