/**
 * One Chromium, one relay that serves the built app, and what tests put on it: phones (browser profiles) and agents.
 * Every page is watched for policy violations and errors.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningRelay, startRelay } from '@countersign/server';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findTool, listedTools, missingText } from '../../../deploy/dev/tools.mjs';
import { AgentProcess } from './agent.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export const PHONE = { width: 390, height: 844 } as const;
export const TABLET = { width: 1180, height: 820 } as const;

export interface PhoneOptions {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  locale?: string;
  permissions?: string[];
}

export class Stage {
  readonly browser: Browser;
  readonly relay: RunningRelay;
  /** What the pretended camera plays: a YUV4MPEG2 file, written by the test that opens the camera. */
  readonly cameraFilm: string;
  /** What pages complained about; empty when all is well. */
  readonly complaints: string[] = [];
  readonly #agents = new Map<string, AgentProcess>();
  #usual: Page | undefined;
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(browser: Browser, relay: RunningRelay, cameraFilm: string) {
    this.browser = browser;
    this.relay = relay;
    this.cameraFilm = cameraFilm;
  }

  /** @throws Error with the line that installs Chromium, when there is none. */
  static async open(): Promise<Stage> {
    const executablePath = findTool('chromium');
    if (executablePath === undefined) {
      throw new Error(missingText(listedTools().filter(({ command }) => command === 'chromium')));
    }
    // Does nothing when the app was built from these sources.
    execFileSync(process.execPath, ['web/build.mjs'], { cwd: root, stdio: 'inherit' });
    const folder = mkdtempSync(join(tmpdir(), 'countersign-camera-'));
    const cameraFilm = join(folder, 'film.y4m');
    // A container runs tests as root, where Chromium's sandbox does not work; the pages are our own.
    const browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
        `--use-file-for-fake-video-capture=${cameraFilm}`,
      ],
    });
    return new Stage(browser, await startRelay({ port: 0, opsPort: 'off' }), cameraFilm);
  }

  get origin(): string {
    return `http://localhost:${this.relay.port}`;
  }

  get appUrl(): string {
    return `${this.origin}/app/`;
  }

  /** One of two agents, in a process each; both serve every test. */
  agent(name: 'Robot' | 'Mailer' = 'Robot'): AgentProcess {
    const running = this.#agents.get(name);
    if (running !== undefined) return running;
    const agent = AgentProcess.start(`ws://localhost:${this.relay.port}`, name);
    this.#agents.set(name, agent);
    return agent;
  }

  /** A new browser profile. */
  async phone(options: PhoneOptions = {}): Promise<BrowserContext> {
    const context = await this.#profile(options);
    this.#closers.push(() => context.close());
    return context;
  }

  /** One for several tests; it goes with the browser. */
  lastingPhone(options: PhoneOptions = {}): Promise<BrowserContext> {
    return this.#profile(options);
  }

  async #profile(options: PhoneOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: options.viewport ?? PHONE,
      colorScheme: options.colorScheme ?? 'light',
      locale: options.locale ?? 'en-GB',
      reducedMotion: 'reduce',
      permissions: options.permissions ?? [],
    });
    context.setDefaultTimeout(10_000);
    context.on('page', (page) => this.#watch(page));
    return context;
  }

  /** A page of a new profile with the app open and paired with the agent. */
  async pairedPage(options: PhoneOptions = {}, agent = this.agent()): Promise<Page> {
    const page = await (await this.phone(options)).newPage();
    await this.pair(page, agent);
    return page;
  }

  /** The inbox on a phone that stays paired with {@link agent} for all tests: pairing takes seconds. */
  async inbox(): Promise<Page> {
    if (this.#usual === undefined) {
      this.#usual = await (await this.#profile({})).newPage();
      await this.pair(this.#usual, this.agent());
    }
    await this.#usual.setViewportSize(PHONE);
    await this.#usual.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await this.#usual.goto(`${this.appUrl}#/inbox`);
    return this.#usual;
  }

  /** Pairs by link, as a person does, and types the code at the agent. */
  async pair(page: Page, agent: AgentProcess): Promise<void> {
    await page.goto(await agent.link());
    await page.getByTestId('pair-now').click();
    const code = await page.getByTestId('paired').getByTestId('pairing-code').textContent();
    await agent.confirm(code ?? '');
    await page.getByRole('button', { name: /To the inbox|Zum Eingang/ }).click();
    // The first list comes once the agent trusts the device.
    await page
      .getByTestId('agent-state')
      .filter({ hasText: /as of|Stand/ })
      .first()
      .waitFor();
  }

  /** After each test: what was opened and asked in it. The usual phone stays. */
  async clear(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
    for (const agent of this.#agents.values()) await agent.clear();
  }

  async close(): Promise<void> {
    await this.clear();
    await Promise.all([...this.#agents.values()].map((agent) => agent.close()));
    await this.browser.close();
    await this.relay.close();
    rmSync(dirname(this.cameraFilm), { recursive: true, force: true });
  }

  #watch(page: Page): void {
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !isNetwork(text)) this.complaints.push(text);
      if (/Content Security Policy|Trusted/.test(text)) this.complaints.push(text);
    });
  }
}

/** Chromium reports a lost connection as an error of the page. */
function isNetwork(text: string): boolean {
  return /WebSocket connection|net::ERR_/.test(text);
}
