/** What `npm start` runs: a relay and an agent on this machine, and one question to a person (or to scripted devices). */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playHeadless } from './headless.js';
import { playInteractive } from './interactive.js';
import { type DemoOptions, readOptions, USAGE } from './options.js';

const USAGE_ERROR = 2;
const stateDir = join(fileURLToPath(new URL('../../..', import.meta.url)), '.countersign');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions | 'help';
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`${sentence(error)}\n\n${USAGE}\n`);
    return USAGE_ERROR;
  }
  if (options === 'help') {
    say(USAGE);
    return 0;
  }
  return play(options);
}

async function play(options: DemoOptions): Promise<number> {
  try {
    if (options.reset) await rm(stateDir, { recursive: true, force: true });
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    return await (options.headless
      ? playHeadless(stateDir, options.argv, say)
      : playInteractive(stateDir, options, say));
  } catch (error) {
    process.stderr.write(`The demo stopped: ${sentence(error)}\n`);
    return 1;
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
