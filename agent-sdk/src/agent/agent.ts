/** The agent as its host holds it: a thin face over the parts. Must hold no rule of its own. */
import { CONTENT, CountersignError, shortId, toHex, utf8, WINDOW } from '@countersign/protocol';
import { titleLine, toWellFormed } from '@countersign/protocol/blocks';
import type {
  Agent,
  AgentEvents,
  ApprovalOutcome,
  ApprovalRequest,
  AskOptions,
  ClarificationRequest,
  ElicitationOutcome,
  ElicitationRequest,
  EndedOutcome,
  PairingSession,
  PendingItem,
  RunOutcome,
} from '../api.js';
import { knownId, noSuchDevice, type OpenSession, openSession, removeDevice } from '../devices/index.js';
import { bindingOf, type Parts } from './parts.js';

/** How long `startPairing` waits for a connection that is just being made. */
const PAIRING_CONNECT_MS = 10_000;
/** What is queued at the end is sealed and written within this. */
const CLOSE_DRAIN_MS = 2_000;

export class OpenAgent implements Agent {
  readonly #pairing = new Set<OpenSession>();
  readonly namespaceId: string;
  readonly devices: Agent['devices'];
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.namespaceId = toHex(parts.core.namespaceId);
    this.devices = {
      list: async () => this.#open().book.list(),
      rename: async (deviceId, name) => {
        this.#open().book.rename(deviceId, name);
        parts.snapshots.changed();
      },
      revoke: (deviceId) => this.#revoke(deviceId),
    };
  }

  get connected(): boolean {
    return this.#parts.connection.connected;
  }

  get problem(): { code: string; message: string } | undefined {
    return this.#parts.connection.problem;
  }

  whenConnected(options: { timeoutMs?: number } = {}): Promise<void> {
    return this.#parts.connection.whenConnected(options.timeoutMs);
  }

  on<E extends keyof AgentEvents>(event: E, listener: (value: AgentEvents[E]) => void): () => void {
    return this.#parts.core.events.on(event, listener);
  }

  async startPairing(options: { ttlMs?: number } = {}): Promise<PairingSession> {
    const { windows, admission, connection, core, settings, authorizer, intake } = this.#open();
    await connection.whenConnected(PAIRING_CONNECT_MS);
    const window = await windows.open(options.ttlMs ?? WINDOW.defaultTtlSeconds * 1000);
    const confirmed = async ({ channelId, device }: { channelId: string; device: string }) => {
      core.log.info('device_confirmed', { device: shortId(device) });
      this.#parts.book.changed(device);
      await authorizer.authorizeSoon();
      await intake.release(channelId);
    };
    const { relayUrl, appUrl, confirm } = settings;
    const relayBinding = bindingOf(core, settings) === 'required';
    return openSession(
      { core, windows, admission, confirmed, open: this.#pairing },
      { relayUrl, appUrl, relayBinding, confirm },
      window,
    );
  }

  requestApproval(request: ApprovalRequest, options?: AskOptions): Promise<ApprovalOutcome> {
    return this.#parts.requests.approval(request, options);
  }

  askClarification(request: ClarificationRequest, options?: AskOptions): Promise<EndedOutcome> {
    return this.#parts.requests.clarification(request, options);
  }

  elicit(request: ElicitationRequest, options?: AskOptions): Promise<ElicitationOutcome> {
    return this.#parts.requests.elicitation(request, options);
  }

  run<T>(
    request: ApprovalRequest,
    fn: (args: unknown) => Promise<T> | T,
    options?: AskOptions,
  ): Promise<RunOutcome<T>> {
    return this.#parts.requests.run(request, fn, options);
  }

  async pending(): Promise<PendingItem[]> {
    return this.#parts.requests.pending();
  }

  reopen(requestId: string, options?: AskOptions): Promise<ApprovalOutcome | ElicitationOutcome> {
    return this.#parts.requests.reopen(requestId, options);
  }

  async notify(note: { title: string; body: string }): Promise<void> {
    const { book, notifier } = this.#open();
    const title = titleLine(toWellFormed(note.title).trim());
    const body = toWellFormed(note.body);
    if (title === '' || body === '')
      throw new CountersignError('invalid_request', 'A note needs a title and a body.');
    const limitBytes = CONTENT.maxInfoBodyBytes;
    if (utf8(JSON.stringify(body)).length > limitBytes) {
      throw new CountersignError('payload_too_large', `The body is larger than ${limitBytes} bytes.`, {
        details: { limitBytes },
      });
    }
    const devices = book.trusted();
    if (devices.length === 0)
      throw new CountersignError('no_device', 'No device is paired, so nobody can be told.');
    await notifier.inform(title, body, devices);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const { requests, items, restart, notifier, houseKeeping, background, secrets, connection, link, core } =
      this.#parts;
    for (const session of this.#pairing) session.abandon();
    requests.close();
    restart.stop();
    houseKeeping.stop();
    try {
      items.closeAll();
      core.store.tables.bypasses.endAgentSessions();
    } catch {
      core.log.warn('close_failed_to_store');
    }
    items.stop();
    notifier.stop();
    await within(background.drained(), CLOSE_DRAIN_MS);
    await link.close();
    await within(background.drained(), CLOSE_DRAIN_MS);
    secrets.dropAll();
    connection.close();
    core.store.close();
  }

  async #revoke(deviceId: string): Promise<void> {
    const { core, channels, authorizer, snapshots } = this.#open();
    const id = knownId(deviceId);
    if (!removeDevice(core, channels, id)) throw noSuchDevice();
    core.log.info('device_revoked', { device: shortId(id) });
    snapshots.changed();
    await authorizer.authorizeSoon();
  }

  #open(): Parts {
    if (this.#closing !== undefined) throw new CountersignError('closed', 'This agent is closed.');
    return this.#parts;
  }
}

/** Waits, but not for ever. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
