/**
 * Tells an agent what became of its pushes, oldest first: at its login what came to be meanwhile, later when it is woken
 * (01 §2). A report is forgotten once it is written; one that was written to a connection that broke is gone. Must
 * not know how a push ended.
 */
import { CAPABILITY } from '@countersign/protocol';
import { REPORT_LIFE_MS } from '../../ports/index.js';
import type { PeerSession } from '../session/peer-session.js';

const REPORTS_AT_ONCE = 100;

export class ReportFeed {
  readonly #session: PeerSession;
  readonly #onFailure: (error: unknown) => void;
  readonly #isAsked: boolean;
  #isOpen = false;
  #isRunning = false;
  #isWoken = false;

  constructor(session: PeerSession, onFailure: (error: unknown) => void) {
    this.#session = session;
    this.#onFailure = onFailure;
    this.#isAsked = session.peer.capabilities.includes(CAPABILITY.pushReport);
  }

  /** `auth_ok` is written. */
  open(): void {
    this.#isOpen = true;
    this.wake();
  }

  wake(): void {
    if (!this.#isAsked || !this.#isOpen) return;
    this.#isWoken = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isWoken && this.#session.active) await this.#tell();
    } catch (error) {
      // They are kept, and told with the next one or at the next login.
      this.#onFailure(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #tell(): Promise<void> {
    this.#isWoken = false;
    const { context, peer } = this.#session;
    const { store, clock } = context;
    const notBefore = clock.now() - REPORT_LIFE_MS;
    const reports = await store.takeReports(peer.namespaceId, { limit: REPORTS_AT_ONCE, notBefore });
    const last = reports.at(-1);
    if (last === undefined || !this.#session.active) return;
    for (const { id: _, ...report } of reports) this.#session.send({ type: 'push_report', ...report });
    if (reports.length === REPORTS_AT_ONCE) this.#isWoken = true;
    await store.dropReports(peer.namespaceId, last.id);
  }
}
