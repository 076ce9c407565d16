/** Devices as they come through one window, for any number of readers, each from the first. Must not know pairing. */

export interface SessionArrival {
  deviceId: string;
  platform: string;
  refused?: true;
}

/** A relay that announces more strangers than this for one window is not listened to any longer. */
export const MAX_ARRIVALS = 64;

export class ArrivalQueue implements AsyncIterable<SessionArrival> {
  readonly #seen: SessionArrival[] = [];
  #ended = false;
  #wake: Array<() => void> = [];

  /** A device that came before in the same way is not told twice. */
  push(arrival: SessionArrival): void {
    const known = this.#seen.some(
      (one) => one.deviceId === arrival.deviceId && one.refused === arrival.refused,
    );
    if (known || this.#ended || this.#seen.length >= MAX_ARRIVALS) return;
    this.#seen.push(arrival);
    this.#notify();
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SessionArrival> {
    for (let next = 0; ; next++) {
      while (next >= this.#seen.length) {
        if (this.#ended) return;
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
      yield this.#seen[next] as SessionArrival;
    }
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
