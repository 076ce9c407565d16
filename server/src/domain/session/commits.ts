/**
 * Writes of one connection that are on their way into the store. Several go at once and share a commit;
 * whatever must come after them waits until none is left. Must not know what is written.
 */

/** Writes that may be under way before the next one waits. */
export const MAX_COMMITS_UNDER_WAY = 64;

export class Commits {
  #underWay = 0;
  #waiters: { atMost: number; resolve: () => void }[] = [];

  /** `write` never rejects. */
  track(write: Promise<void>): void {
    this.#underWay++;
    void write.then(() => {
      this.#underWay--;
      this.#wakeWaiters();
    });
  }

  /** Undefined when nothing is under way. */
  settled(): Promise<void> | undefined {
    return this.#until(0);
  }

  /** Undefined when another write may begin. */
  room(): Promise<void> | undefined {
    return this.#until(MAX_COMMITS_UNDER_WAY - 1);
  }

  #until(atMost: number): Promise<void> | undefined {
    if (this.#underWay <= atMost) return undefined;
    return new Promise((resolve) => this.#waiters.push({ atMost, resolve }));
  }

  #wakeWaiters(): void {
    const ready = this.#waiters.filter(({ atMost }) => this.#underWay <= atMost);
    this.#waiters = this.#waiters.filter(({ atMost }) => this.#underWay > atMost);
    for (const { resolve } of ready) resolve();
  }
}
