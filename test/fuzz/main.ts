/**
 * `npm run fuzz -- --seed N --frames N --minutes N`: the whole trial, its figures as JSON on standard output. It ends after
 * so many frames, or so many minutes.
 */
import { freshSeed, minutesFrom, numbersFrom } from '../support/trials/arguments.js';
import { fuzz } from './fuzz.js';

const { seed, frames, minutes } = numbersFrom(process.argv.slice(2), {
  seed: freshSeed(),
  frames: 1_000_000,
  minutes: 0,
});
console.error(`seed ${seed}`);
let told = 0;
const onProgress = (sent: number): void => {
  if (sent < told + frames / 20) return;
  told = sent;
  console.error(`${sent} of ${frames}`);
};
console.log(JSON.stringify(await fuzz({ seed, frames, onProgress, goesOn: minutesFrom(minutes) }), null, 2));
