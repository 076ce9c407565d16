/**
 * Compares what a page looks like with a picture that was looked at by a person. Pictures are kept per major version of
 * Chromium, for each draws text a little differently; another version is held to where everything lies, and says so.
 * `COUNTERSIGN_GOLDENS=update` makes them anew.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import type { Locator, Page } from 'playwright-core';
import { PNG } from 'pngjs';

const GOLDENS = fileURLToPath(new URL('../goldens/', import.meta.url));
const require = createRequire(import.meta.url);
/** Of a pixel's colour, as pixelmatch measures it: smoothed edges of letters stay below. */
const COLOUR_TOLERANCE = 0.1;
/** Of all pixels. */
const DIFFERING_SHARE = 0.002;
/** Of a box's place and size, in another version of the browser. */
const BOX_TOLERANCE_PX = 6;

type Box = readonly [what: string, x: number, y: number, width: number, height: number];

/** The same fonts on every machine, and nothing that time or chance changes. */
export async function steady(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
  const font = (name: string) =>
    readFileSync(require.resolve(`@fontsource-variable/${name}-latin-wght-normal.woff2`));
  const files: Record<string, { body: string | Buffer; contentType: string }> = {
    'steady.css': { body: STEADY, contentType: 'text/css' },
    'steady-sans.woff2': { body: font('inter/files/inter'), contentType: 'font/woff2' },
    'steady-mono.woff2': { body: font('jetbrains-mono/files/jetbrains-mono'), contentType: 'font/woff2' },
  };
  await page.route('**/app/steady*', (route) => {
    const file = files[new URL(route.request().url()).pathname.split('/').at(-1) ?? ''];
    return file === undefined ? route.abort() : route.fulfill(file);
  });
}

const STEADY = `
@font-face { font-family: Steady; src: url(steady-sans.woff2); font-weight: 100 900; }
@font-face { font-family: SteadyMono; src: url(steady-mono.woff2); font-weight: 100 900; }
:root { --sans: Steady; --mono: SteadyMono; }
:root [data-agent] { --agent: #2f6fd0; --agent-wash: #2f6fd022; }
time, [data-testid=agent-state], .item-marks > span:last-child { display: none; }
* { caret-color: transparent; }
`;

/** @throws Error that says where the picture is which differs. */
export async function compare(page: Page, what: Locator, name: string): Promise<void> {
  await page.addStyleTag({ url: './steady.css' });
  await page.evaluate(async () => {
    await Promise.all([document.fonts.load('16px Steady'), document.fonts.load('16px SteadyMono')]);
    await document.fonts.ready;
  });
  const version = page.context().browser()?.version().split('.')[0] ?? '';
  const folder = join(GOLDENS, `chromium-${version}`);
  const boxes = await what.evaluate(boxesIn);
  const boxFile = join(GOLDENS, 'boxes', `${name}.json`);
  const file = join(folder, `${name}.png`);
  const picture = await what.screenshot({ animations: 'disabled', scale: 'css' });
  if (process.env.COUNTERSIGN_GOLDENS === 'update') {
    for (const each of [folder, join(GOLDENS, 'boxes')]) mkdirSync(each, { recursive: true });
    writeFileSync(file, picture);
    writeFileSync(boxFile, `[\n${boxes.map(lineOf).join(',\n')}\n]\n`);
  } else if (existsSync(folder)) comparePixels(name, picture, readFileSync(file));
  else {
    process.stderr.write(`${name}: no picture of Chromium ${version}, compared where things lie\n`);
    compareBoxes(name, boxes, JSON.parse(readFileSync(boxFile, 'utf8')) as Box[]);
  }
}

/** As the formatter has it. */
function lineOf(box: Box): string {
  return `  ${JSON.stringify(box).replaceAll(',', ', ')}`;
}

function comparePixels(name: string, picture: Buffer, golden: Buffer): void {
  const [actual, wanted] = [PNG.sync.read(picture), PNG.sync.read(golden)];
  const { width, height } = wanted;
  const isSameSize = actual.width === width && actual.height === height;
  const differing = isSameSize
    ? pixelmatch(actual.data, wanted.data, undefined, width, height, { threshold: COLOUR_TOLERANCE })
    : width * height;
  if (differing <= width * height * DIFFERING_SHARE) return;
  const kept = join(tmpdir(), `countersign-${name}.png`);
  writeFileSync(kept, picture);
  const sizes = isSameSize ? '' : ` (${actual.width} × ${actual.height}, not ${width} × ${height})`;
  throw new Error(`${name} looks different: ${differing} pixels${sizes}. What it looks like: ${kept}`);
}

function compareBoxes(name: string, actual: readonly Box[], wanted: readonly Box[]): void {
  const misplaced = wanted.filter(([what, ...places], at) => {
    const [other, ...there] = actual[at] ?? [''];
    return (
      what !== other || places.some((place, side) => Math.abs(place - (there[side] ?? 0)) > BOX_TOLERANCE_PX)
    );
  });
  if (misplaced.length === 0 && actual.length === wanted.length) return;
  throw new Error(`${name} is laid out differently: ${JSON.stringify(misplaced.slice(0, 5))}`);
}

/** In the page: where everything with a name of its own lies, relative to the whole. */
function boxesIn(root: Element): Box[] {
  const from = root.getBoundingClientRect();
  return [...root.querySelectorAll('[data-testid], h1, h2, h3, button, a, [class]')]
    .map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const what = element.getAttribute('data-testid') ?? `${element.tagName} ${element.classList[0] ?? ''}`;
      return [what, x - from.x, y - from.y, width, height].map((each) =>
        typeof each === 'number' ? Math.round(each) : each,
      ) as unknown as Box;
    })
    .filter(([, , , width, height]) => width > 1 && height > 1);
}
