/**
 * `watch`: stays connected, says what comes, and lets a person, or `--auto`, answer. Must not know how an answer
 * travels.
 */
import { escapeToLine } from '@countersign/protocol/blocks';
import type { Alert, Client } from '../../api.js';
import { AutoAnswer, type AutoOptions } from '../auto-answer.js';
import { type GlobalOptions, withClient } from '../device.js';
import { CliError, codeOf, EXIT } from '../exit-codes.js';
import { asTyped, type Io, type Output } from '../io.js';
import { answerJson, itemJson, statusJson } from '../item-json.js';
import { Keyboard } from '../keyboard.js';
import { Prompter } from '../prompter.js';
import { renderItem } from '../render-item.js';
import { StatusTexts } from '../status-texts.js';
import { WatchDiff, type WatchEvent } from '../watch-events.js';
import { sentence } from './answer.js';

export interface WatchOptions extends GlobalOptions {
  auto?: string;
  reason?: string;
  answer?: string;
  /** Seconds. */
  delay: number;
  count?: number;
  timeout: number;
}

export async function watchCommand(options: WatchOptions, io: Io, output: Output): Promise<number> {
  const auto = autoOptions(options);
  const onScreen = new Set<string>();
  const alert = async (shown: Alert) => {
    sayAlert(shown, output, onScreen);
    return true;
  };
  const watch = (client: Client) => new Watch(client, options, auto, io, output, onScreen).run();
  return withClient(options, io, watch, alert);
}

function autoOptions(options: WatchOptions): AutoOptions | undefined {
  const { auto, reason, answer } = options;
  if (auto === undefined) return undefined;
  if (auto !== 'approve' && auto !== 'reject') {
    throw new CliError(EXIT.usage, 'usage', '--auto takes "approve" or "reject".');
  }
  return { auto, reason, answer, delayMs: options.delay * 1000 };
}

class Watch {
  readonly #client: Client;
  readonly #options: WatchOptions;
  readonly #io: Io;
  readonly #output: Output;
  readonly #auto: AutoAnswer | undefined;
  readonly #prompter: Prompter | undefined;
  readonly #diff = new WatchDiff();
  readonly #ended = deferred<number>();
  /** Ids of the items a person sees. */
  readonly #onScreen: Set<string>;
  readonly #statuses = new StatusTexts();
  #settled = 0;

  constructor(
    client: Client,
    options: WatchOptions,
    auto: AutoOptions | undefined,
    io: Io,
    output: Output,
    onScreen: Set<string>,
  ) {
    this.#onScreen = onScreen;
    this.#client = client;
    this.#options = options;
    this.#io = io;
    this.#output = output;
    this.#auto = auto === undefined ? undefined : new AutoAnswer(client, auto);
    const interactive = auto === undefined && !output.json && io.stdin.isTTY === true;
    this.#prompter = interactive ? this.#makePrompter() : undefined;
  }

  async run(): Promise<number> {
    if ((await this.#client.pairings.list()).length === 0) {
      throw new CliError(EXIT.notFound, 'not_paired', `Not paired. Run: ${asTyped(this.#io.env)} pair LINK`);
    }
    const unsubscribe = this.#client.inbox.subscribe(() => this.#look());
    this.#io.interrupted.addEventListener('abort', () => this.#ended.resolve(EXIT.interrupted), {
      once: true,
    });
    if (this.#io.interrupted.aborted) this.#ended.resolve(EXIT.interrupted);
    this.#look();
    try {
      return await this.#ended.promise;
    } finally {
      unsubscribe();
      this.#prompter?.close();
    }
  }

  #makePrompter(): Prompter {
    return new Prompter(
      this.#client,
      new Keyboard(this.#io.stdin, (line) => this.#io.err(line)),
      this.#output,
      {
        timeoutMs: this.#options.timeout * 1000,
        quit: () => this.#ended.resolve(EXIT.done),
        interrupt: () => this.#ended.resolve(EXIT.interrupted),
      },
    );
  }

  #look(): void {
    const inbox = this.#client.inbox.get();
    for (const event of this.#diff.next(inbox)) this.#say(event);
    this.#prompter?.look(inbox.items);
  }

  #say(event: WatchEvent): void {
    if (event.event === 'status') this.#sayStatus(event);
    else this.#sayItem(event);
  }

  #sayItem(event: Exclude<WatchEvent, { event: 'status' }>): void {
    const id = { event: event.event, request_id: event.item.requestId };
    if (event.event === 'ended') {
      this.#onScreen.delete(event.item.requestId);
      this.#output.result(id, `— ended: ${escapeToLine(event.item.summary)}`);
    }
    // People read it from whoever gave the answer: the keys, or the script.
    else if (event.event === 'answer') {
      this.#output.result({ ...id, answer: answerJson(event.answer) }, '');
    } else {
      this.#onScreen.add(event.item.requestId);
      this.#output.result({ event: 'item', item: itemJson(event.item) }, `\n${renderItem(event.item)}`);
      void this.#answerByScript(event.item);
    }
  }

  #sayStatus({ pairing }: Extract<WatchEvent, { event: 'status' }>): void {
    const [status] = statusJson({ items: [], badge: 0, bypasses: [], pairings: [pairing] });
    this.#output.result({ event: 'status', pairing: status }, this.#statuses.next(pairing));
  }

  async #answerByScript(item: Parameters<AutoAnswer['take']>[0]): Promise<void> {
    try {
      const sent = await this.#auto?.take(item);
      if (sent === undefined) return;
      const answer = await sent.settled({ timeoutMs: this.#options.timeout * 1000 });
      const id = { event: 'decided', request_id: item.requestId };
      this.#output.result({ ...id, answer: answerJson(answer) }, sentence(answer));
    } catch (error) {
      this.#output.result(
        { event: 'not_answered', request_id: item.requestId, code: codeOf(error) },
        error instanceof Error ? error.message : 'It could not be answered.',
      );
    }
    this.#settled += 1;
    if (this.#settled === this.#options.count) this.#ended.resolve(EXIT.done);
  }
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** An announcement of what is on the screen already is news for scripts only. */
function sayAlert(alert: Alert, output: Output, onScreen: ReadonlySet<string>): void {
  const { pairingId, agentName, title, body, requestId, replaces, outcome, seen } = alert;
  const members = {
    pairing: pairingId,
    agent: agentName,
    title,
    body,
    request_id: requestId,
    replaces,
    outcome,
    seen,
  };
  const text = outcome === undefined ? `${title}: ${body}` : `${title}: ${body} (${outcome})`;
  const known = requestId !== undefined && onScreen.has(requestId);
  output.result({ event: 'alert', ...members }, known ? '' : `* ${escapeToLine(text)}`);
}
