/** Lets a person at a terminal answer one item after the other by keys. Must not know how an answer travels. */
import { escapeToLine } from '@countersign/protocol/blocks';
import type { AnswerContent, Client, InboxItem, SentAnswer } from '../api.js';
import { fieldOf, report } from './commands/answer.js';
import type { Output } from './io.js';
import type { Keyboard } from './keyboard.js';
import { renderItem } from './render-item.js';
import { keyOf } from './watch-events.js';

export interface PrompterOptions {
  timeoutMs: number;
  quit(): void;
  interrupt(): void;
}

export class Prompter {
  readonly #client: Client;
  readonly #keyboard: Keyboard;
  readonly #output: Output;
  readonly #options: PrompterOptions;
  #items: readonly InboxItem[] = [];
  /** The item the keys are about. */
  #current: string | undefined;
  /** What was offered last: an item and its keys. */
  #said = '';
  /** What was on the screen when keys were offered last. */
  #seen: ReadonlySet<string> = new Set();
  #busy = false;

  constructor(client: Client, keyboard: Keyboard, output: Output, options: PrompterOptions) {
    this.#client = client;
    this.#keyboard = keyboard;
    this.#output = output;
    this.#options = options;
    keyboard.onKey((key) => void this.#onKey(key));
    keyboard.onInterrupt = () => options.interrupt();
  }

  close(): void {
    this.#keyboard.close();
  }

  /** The inbox has changed: the keys stay with their item while it is there. */
  look(items: readonly InboxItem[]): void {
    this.#items = items.filter(({ state }) => state !== 'answered');
    if (this.#busy) return;
    const item = this.#item();
    if (item === undefined) this.#current = this.#items[0] === undefined ? undefined : keyOf(this.#items[0]);
    // The item may have come whole since, or changed: keys are offered anew, below what it shows now.
    else if (wordsOf(item) === this.#said && !this.#printedBelow()) return;
    this.#sayKeys();
  }

  /** Whether items were printed below the keys since: a key must never seem to be about the last one on the screen. */
  #printedBelow(): boolean {
    return this.#items.some((item) => !this.#seen.has(printOf(item)));
  }

  #item(): InboxItem | undefined {
    return this.#items.find((item) => keyOf(item) === this.#current);
  }

  #sayKeys(): void {
    const item = this.#item();
    if (item === undefined) return;
    this.#said = wordsOf(item);
    this.#seen = new Set(this.#items.map(printOf));
    const others = this.#items.length - 1;
    if (others > 0) this.#output.hint(`\n${others} more; the keys are about: ${escapeToLine(item.summary)}`);
    this.#output.hint(`${escapeToLine(item.requestId)}: ${keysOf(item)}`);
  }

  async #onKey(key: string): Promise<void> {
    if (key === 'q') return this.#options.quit();
    const item = this.#item();
    if (item === undefined || this.#busy) return;
    this.#busy = true;
    try {
      await this.#act(key, item);
    } catch (error) {
      this.#output.hint(error instanceof Error ? error.message : 'It could not be done.');
    } finally {
      this.#busy = false;
    }
    if (this.#item() === undefined) this.look(this.#items);
    else this.#sayKeys();
  }

  async #act(key: string, item: InboxItem): Promise<void> {
    if (key === 'n') return this.#next(item);
    if (key === 'd') return this.#output.hint(renderItem(item, { raw: true }));
    if (key === 'l') return void (await this.#client.load(item));
    const sent = await this.#answer(key, item);
    if (sent !== undefined) await report(item, sent, this.#options.timeoutMs, this.#output);
  }

  #next(item: InboxItem): void {
    const at = this.#items.indexOf(item);
    const next = this.#items[(at + 1) % this.#items.length];
    if (next === undefined) return;
    this.#current = keyOf(next);
    this.#output.hint(renderItem(next));
  }

  #answer(key: string, item: InboxItem): Promise<SentAnswer | undefined> {
    if (item.kind === 'approval') return this.#decide(key, item);
    if (key === 't') return this.#type(item);
    if (item.kind === 'elicitation' && key === 'x') {
      return this.#client.answer(item, { kind: 'elicitation', action: 'decline' });
    }
    return Promise.resolve(undefined);
  }

  async #decide(key: string, item: InboxItem): Promise<SentAnswer | undefined> {
    if (key === 'a') return this.#client.approve(item);
    if (key === 's') return this.#client.approve(item, { bypassSecs: 0 });
    if (key !== 'r' && key !== 'R') return undefined;
    const reason = await this.#keyboard.readLine('Reason (Enter for none, Ctrl-D to go back):');
    if (reason === undefined) return undefined;
    return this.#client.reject(item, { reason: new TextDecoder().decode(reason), stop: key === 'R' });
  }

  async #type(item: InboxItem): Promise<SentAnswer | undefined> {
    const typed = await this.#keyboard.readLine('Answer (not shown; Ctrl-D to go back):');
    if (typed === undefined) return undefined;
    const content: AnswerContent =
      item.kind === 'clarification'
        ? { kind: 'clarification', answer: new TextDecoder().decode(typed) }
        : { kind: 'elicitation', action: 'accept', content: { [fieldOf(item)]: typed } };
    return this.#client.answer(item, content);
  }
}

function wordsOf(item: InboxItem): string {
  return `${item.digest} ${keysOf(item)}`;
}

function printOf(item: InboxItem): string {
  return `${keyOf(item)} ${wordsOf(item)}`;
}

function keysOf(item: InboxItem): string {
  const common = '[n]ext  [d]etails  [q]uit';
  const load = item.whole ? '' : '[l]oad  ';
  if (item.kind === 'clarification') return `[t]ype an answer  ${common}`;
  if (item.kind === 'elicitation') return `[t]ype an answer  [x] decline  ${common}`;
  const session = item.choices.includes('approve_session') ? '[s]ession  ' : '';
  const stop = item.choices.includes('reject_and_stop') ? '[R]eject and stop  ' : '';
  return `[a]pprove  ${session}[r]eject  ${stop}${load}${common}`;
}
