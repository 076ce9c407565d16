/** What is forgotten when its time is over: ended items, acks, pushes, bypasses, windows (30 days to a day). Must not know why. */
import { CONTENT, ROUTING } from '@countersign/protocol';
import type { Windows } from '../devices/index.js';
import type { Core, Timer } from './core.js';

const EVERY_MS = 3_600_000;

export class HouseKeeping {
  readonly #core: Core;
  readonly #windows: Windows;
  #timer: Timer | undefined;

  constructor(core: Core, windows: Windows) {
    this.#core = core;
    this.#windows = windows;
  }

  /** Now and every hour. A full disk only delays it. */
  start(): void {
    try {
      this.#tidy();
    } catch {
      this.#core.log.warn('house_keeping_failed');
    }
    this.#timer = this.#core.clock.setTimer(() => this.start(), EVERY_MS);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #tidy(): void {
    const now = this.#core.clock.now();
    const before = now - CONTENT.rememberedAnswersMs;
    this.#core.store.transaction(({ items, answers, bypasses, pushes }) => {
      items.lapse(now);
      items.purge(before);
      answers.purge(before);
      bypasses.purge(now);
      pushes.purge(now - ROUTING.refUniqueMs);
    });
    this.#windows.forgetOld();
    this.#core.store.scrub();
  }
}
