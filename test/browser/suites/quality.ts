/** Accessible, offline, without strangers, and the same cryptography as everywhere. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { expect, it } from 'vitest';
import { type Stage, TABLET } from '../kit/stage.js';
import { EVERY_TYPE } from './content.js';

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const vectors = (name: string) =>
  JSON.parse(readFileSync(require.resolve(`@countersign/protocol/vectors/${name}`), 'utf8')) as unknown;

/** Gzip, of everything that the first page names. */
const MAX_FIRST_LOAD_BYTES = 320_000;
const MAX_OWN_BYTES = 150_000;

export function quality(stage: () => Stage): void {
  it('axe finds nothing on any screen, light and dark', async () => {
    const page = await stage().inbox();
    const agent = stage().agent();
    await agent.ask({ toolName: 'x', summary: 'Every type', blocks: EVERY_TYPE, risk: 'high' });
    await agent.elicit({
      serverName: 'tracker',
      message: 'Who takes it?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, urgent: { type: 'boolean' } },
      },
    });
    await page.getByTestId('card').nth(1).waitFor();
    const found: Record<string, unknown> = { inbox: await axe(page) };
    for (const [name, text] of [
      ['approval', 'Every type'],
      ['elicitation', 'Who takes it?'],
    ] as const) {
      await page.getByTestId('card').filter({ hasText: text }).click();
      await page.getByTestId('choices').waitFor();
      if (name === 'approval') await page.locator('.markdown').waitFor();
      found[name] = await axe(page);
      await page.getByRole('button', { name: 'Back' }).click();
    }
    for (const screen of ['History', 'Settings']) {
      await page.getByRole('link', { name: screen }).click();
      await page.getByRole('heading', { name: screen }).waitFor();
      found[screen] = await axe(page);
    }
    await page.goto(`${stage().appUrl}#/pair`);
    await page.getByLabel('Or paste the link').waitFor();
    found.pair = await axe(page);
    expect(Object.fromEntries(Object.entries(found).filter(([, list]) => (list as []).length > 0))).toEqual(
      {},
    );
  });

  it('everything that can be tapped is 44 pixels or more, on a phone and a tablet', async () => {
    const page = await stage().inbox();
    await stage().agent().ask({ toolName: 'x', summary: 'Every type', blocks: EVERY_TYPE });
    await page.getByTestId('card').filter({ hasText: 'Every type' }).click();
    await page.locator('.markdown').waitFor();
    expect(await page.evaluate(smallTargets)).toEqual([]);
    await page.setViewportSize(TABLET);
    expect(await page.evaluate(smallTargets)).toEqual([]);
  });

  it('opens without a network and shows what was there', async () => {
    const page = await stage().pairedPage();
    await stage()
      .agent()
      .ask({ toolName: 'x', summary: 'Kept for the tunnel', arguments: { a: 1 } });
    await page.getByTestId('card').waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.context().setOffline(true);
    await page.reload();
    await page.getByTestId('card').filter({ hasText: 'Kept for the tunnel' }).click();
    await page.getByTestId('choices').waitFor();
  });

  it('asks nobody but the host it came from', async () => {
    const page = await stage().inbox();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.reload();
    await page.getByTestId('agent-state').filter({ hasText: 'connected' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect([...hosts]).toEqual([`localhost:${stage().relay.port}`]);
  });

  it('is small: what loads first, with and without libsodium', () => {
    const folder = fileURLToPath(new URL('../../../server/app/', import.meta.url));
    const names = [...readFileSync(`${folder}index.html`, 'utf8').matchAll(/"\.\/(assets\/[^"]+)"/g)];
    const sizes = names.map(([, name = '']) => ({ name, bytes: readFileSync(`${folder}${name}.gz`).length }));
    const sum = (list: typeof sizes) => list.reduce((total, { bytes }) => total + bytes, 0);
    expect(sizes.some(({ name }) => name.includes('sodium'))).toBe(true);
    expect(sum(sizes)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
    expect(sum(sizes.filter(({ name }) => !name.includes('sodium')))).toBeLessThanOrEqual(MAX_OWN_BYTES);
  });

  it('the published vectors and ours come out byte for byte', async () => {
    const page = await (await stage().phone()).newPage();
    await page.goto(stage().appUrl);
    const code = await bundle(fileURLToPath(new URL('../kit/vectors-entry.ts', import.meta.url)));
    const input = JSON.stringify([vectors('relay-v2.json'), vectors('countersign-v1.json')]);
    const checked = await page.evaluate(`(() => { ${code}; return check.checkVectors(...${input}); })()`);
    expect(checked).toMatchObject({ wrong: [] });
    expect((checked as { count: number }).count).toBeGreaterThan(18);
  });
}

/** What axe finds; in the dark only contrast can differ. */
async function axe(page: Page): Promise<{ id: string; nodes: string[] }[]> {
  await page.evaluate(axeSource);
  await wear(page, 'dark');
  const dark = await page.evaluate(runAxe, ['color-contrast']);
  await wear(page, 'light');
  return [...dark, ...(await page.evaluate(runAxe, []))];
}

/** Colours fade into each other: what is looked at must have arrived. */
async function wear(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
  });
}

/** In the page. All rules when none is named. */
async function runAxe(rules: string[]): Promise<{ id: string; nodes: string[] }[]> {
  const options = rules.length > 0 ? { runOnly: { type: 'rule', values: rules } } : {};
  const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } };
  const { violations } = await axe.run(options);
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 160)) }));
}

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** In the page: what one can tap that is too small; links and buttons within running text may be (WCAG 2.5.8). */
function smallTargets(): string[] {
  const all = [...document.querySelectorAll<HTMLElement>('button, a, select, input, summary')];
  const isInText = (element: HTMLElement) => element.closest('p, .markdown, .tree, .value-link') !== null;
  return all
    .filter((element) => !isInText(element))
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 0 && (width < 44 || height < 44);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

/** The code as one script that sets `check`, from the sources, as a browser would have it. */
async function bundle(entry: string): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'check', fileName: () => 'check.js' } },
  })) as Rollup.RollupOutput[];
  return built[0]?.output[0].code ?? '';
}
