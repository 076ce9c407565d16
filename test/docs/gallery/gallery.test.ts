/**
 * The pictures of docs/describe are what the command prints today. To draw them again:
 * `UPDATE_GALLERY=1 npx vitest run test/docs/gallery`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../agent-sdk/src/cli/command-line.js';
import { CommandRig } from '../../support/command-rig.js';
import { drawDiscord, drawTelegram, drawTerminal } from './draw.js';
import { PICTURES, type Picture } from './pictures.js';

const FOLDER = fileURLToPath(new URL('../../../docs/describe/', import.meta.url));
/** Pictures are for pages that many load. */
const MAX_BYTES = 8 * 1024;

let rig: CommandRig;
beforeEach(() => {
  rig = new CommandRig(runCommandLine);
});
afterEach(() => rig.close());

async function draw({ tool, args, as, files = {}, schema }: Picture): Promise<string> {
  const put = (name: string, content: string) => {
    mkdirSync(dirname(join(rig.dir, name)), { recursive: true });
    writeFileSync(join(rig.dir, name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  put('call.json', JSON.stringify(args));
  if (schema !== undefined) put('tool.json', JSON.stringify(schema));
  const extra = schema === undefined ? [] : ['--schema', 'tool.json'];
  const line = ['describe', '--tool', tool, '--args', 'call.json', ...extra, '--as', as];
  const { exitCode, stdout, stderr } = await rig.run(line);
  expect([exitCode, stderr.includes('message 2')]).toEqual([0, false]);
  const buttons = /offers: (.*)/.exec(stderr)?.[1]?.split(', ').map(capital) ?? [];
  if (as === 'telegram') return drawTelegram(stdout, buttons);
  if (as === 'discord') return drawDiscord(stdout, buttons);
  return drawTerminal(`countersign ${line.slice(0, -2).join(' ')}`, stdout);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

describe('the gallery', () => {
  it.each(PICTURES.map((picture) => [picture.name, picture] as const))('shows %s', async (name, picture) => {
    const file = join(FOLDER, 'gallery', `${name}.svg`);
    const drawn = await draw(picture);
    if (process.env.UPDATE_GALLERY) writeFileSync(file, drawn);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(drawn);
    expect(Buffer.byteLength(drawn)).toBeLessThan(MAX_BYTES);
  });

  it('has a place on the page for every picture, and no other', () => {
    const page = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    const shown = [...page.matchAll(/gallery\/([a-z-]+)\.svg/g)].map(([, name = '']) => name).sort();
    const there = readdirSync(join(FOLDER, 'gallery')).map((file) => file.replace('.svg', ''));
    expect(shown).toEqual(PICTURES.map(({ name }) => name).sort());
    expect(there.sort()).toEqual(shown);
  });
});
