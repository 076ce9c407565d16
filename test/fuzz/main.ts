/** `npm run fuzz -- --seed N --frames N`: the whole trial, its figures as JSON. */
import { freshSeed, numbersFrom } from '../support/trials/arguments.js';
import { fuzz } from './fuzz.js';

const { seed, frames } = numbersFrom(process.argv.slice(2), { seed: freshSeed(), frames: 1_000_000 });
console.error(`seed ${seed}`);
let told = 0;
const onProgress = (sent: number): void => {
  if (sent < told + frames / 20) return;
  told = sent;
  console.error(`${sent} of ${frames}`);
};
console.log(JSON.stringify(await fuzz({ seed, frames, onProgress }), null, 2));
