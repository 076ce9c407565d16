/** `npm run chaos -- --seed N --kills N`: the whole trial, its figures as JSON. */
import { freshSeed, numbersFrom } from '../support/trials/arguments.js';
import { chaos } from './chaos.js';

const { seed, kills } = numbersFrom(process.argv.slice(2), { seed: freshSeed(), kills: 200 });
console.error(`seed ${seed}`);
const onProgress = (done: number): void => {
  if (done % 10 === 0) console.error(`${done} of ${kills} kills`);
};
console.log(JSON.stringify(await chaos({ seed, kills, onProgress }), null, 2));
process.exit(0);
