/**
 * What a test told a gateway to do with coming requests: first in, first out, per token before general.
 * Must not know protocols; a step of one gateway adds its own members to `Step`.
 */

export interface Step {
  /** Requests this step takes before it is used up; 1 when left out, Infinity for good. */
  readonly times?: number;
  /** Waits so many ms of real time before it answers. */
  readonly delayMs?: number;
  /** Waits for this before it answers: the deterministic way to hold requests in flight. */
  readonly until?: Promise<unknown>;
  /**
   * What happens instead of an answer.
   * - `blackhole`: no answer ever, the connection stays.
   * - `reset`: the stream (HTTP/2) or the connection (HTTP/1.1) is reset.
   * - `disconnect`: the TCP connection is reset.
   * - `freeze`: the connection goes half-open: nothing is read or written any more, PING is not answered.
   * - `flood`: an endless body, as fast as it is read, under `status`.
   * - `drip`: a byte of body every 100 ms without end, under `status`.
   */
  readonly wire?: 'blackhole' | 'reset' | 'disconnect' | 'freeze' | 'flood' | 'drip';
  /** Answers with this status, whatever else; 400 for `flood` and `drip` when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The exact body of the answer, for example an HTML page. */
  readonly body?: string;
  /** Retry-After: a number in seconds, or a date, sent in the form of RFC 9110 §5.6.7. */
  readonly retryAfter?: number | Date;
  /** The message counts as delivered although the answer says otherwise ("503, but it arrived"). */
  readonly delivered?: boolean;
}

interface Entry<S> {
  readonly step: S;
  left: number;
}

export class Script<S extends Step> {
  readonly #general: Entry<S>[] = [];
  readonly #byToken = new Map<string, Entry<S>[]>();

  /** The next request that no step of its token takes. Steps queue up. */
  next(step: S): void {
    this.#general.push(entry(step));
  }

  /** The next request for this token (APNs, FCM) or endpoint (Web Push). */
  forToken(token: string, step: S): void {
    const entries = this.#byToken.get(token) ?? [];
    entries.push(entry(step));
    this.#byToken.set(token, entries);
  }

  /** Forgets all steps. */
  clear(): void {
    this.#general.length = 0;
    this.#byToken.clear();
  }

  /** Takes what is next for a request; undefined means: behave as the real service would. */
  take(token: string | undefined): S | undefined {
    const own = token === undefined ? undefined : this.#byToken.get(token);
    return takeFrom(own) ?? takeFrom(this.#general);
  }
}

function entry<S extends Step>(step: S): Entry<S> {
  return { step, left: step.times ?? 1 };
}

function takeFrom<S>(entries: Entry<S>[] | undefined): S | undefined {
  const first = entries?.[0];
  if (first === undefined) return undefined;
  first.left -= 1;
  if (first.left <= 0) entries?.shift();
  return first.step;
}
