/** The client's end of `agent.sock`: calls with answers, notes and events. Must not know what they mean. */
import { connect, type Socket } from 'node:net';
import { CountersignError } from '@countersign/protocol';
import { SOCKET_LIMITS } from './limits.js';
import { LineReader } from './line-reader.js';
import { errorFromWire, type Hello, type Reply, readReply, writeLine } from './messages.js';
import type { Method } from './params.js';
import { findSocket } from './socket-place.js';

type Data = Record<string, unknown>;

export interface CallOptions {
  /** Withdraws the call; its answer is still waited for. */
  signal?: AbortSignal | undefined;
  onNote?: ((note: Data) => void) | undefined;
}

interface OpenCall {
  resolve(result: Data): void;
  reject(error: CountersignError): void;
  onNote: ((note: Data) => void) | undefined;
}

export interface ChannelListener {
  onEvent(event: string, data: unknown): void;
  onLost(): void;
}

/**
 * @throws CountersignError `closed` when nobody serves the directory, `timeout` when its owner does not answer,
 * and whatever the owner refuses with.
 */
export async function openChannel(dir: string): Promise<{ channel: Channel; hello: Hello }> {
  const channel = new Channel(await dial(findSocket(dir)));
  try {
    return { channel, hello: await channel.greeting() };
  } catch (error) {
    channel.close();
    throw error;
  }
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (cause: NodeJS.ErrnoException) => reject(dialError(path, cause)));
  });
}

function dialError(path: string, cause: NodeJS.ErrnoException): CountersignError {
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new CountersignError('state_permissions', `${path} belongs to another user.`, { cause });
  }
  return new CountersignError('closed', 'Nobody serves this directory.', { cause });
}

export class Channel {
  readonly #socket: Socket;
  readonly #reader = new LineReader(SOCKET_LIMITS.maxLineBytes);
  readonly #calls = new Map<number, OpenCall>();
  #nextId = 1;
  #lost: CountersignError | undefined;
  #listener: ChannelListener | undefined;
  #early: Reply[] = [];
  #greet: ((error?: CountersignError) => void) | undefined;
  #hello: Hello | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () =>
      this.#end(new CountersignError('closed', 'The owner of the directory has ended.')),
    );
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** The owner's first line. */
  async greeting(): Promise<Hello> {
    if (this.#hello === undefined && this.#lost === undefined) await this.#firstLine();
    if (this.#hello !== undefined) return this.#hello;
    throw (
      this.#lost ?? new CountersignError('protocol', 'The owner of the directory did not introduce itself.')
    );
  }

  /** From now on events are told, those that came before first. */
  listen(listener: ChannelListener): void {
    this.#listener = listener;
    for (const { event, data } of this.#early.splice(0)) listener.onEvent(event ?? '', data);
    if (this.lost) listener.onLost();
  }

  /** @throws CountersignError what the owner refused with, or `closed` when it went. */
  call(method: Method, params: object = {}, { signal, onNote }: CallOptions = {}): Promise<Data> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = this.#nextId++;
    const answer = new Promise<Data>((resolve, reject) => this.#calls.set(id, { resolve, reject, onNote }));
    const line = writeLine({ id, method, params });
    if (Buffer.byteLength(line) > SOCKET_LIMITS.maxLineBytes) {
      this.#calls.delete(id);
      return Promise.reject(tooLarge());
    }
    this.#socket.write(line);
    const withdraw = (): void => void this.call('cancel', { call: id }).catch(() => undefined);
    if (signal?.aborted) withdraw();
    signal?.addEventListener('abort', withdraw, { once: true });
    return answer.finally(() => signal?.removeEventListener('abort', withdraw));
  }

  close(): void {
    this.#socket.end();
    this.#socket.destroy();
  }

  async #firstLine(): Promise<void> {
    const { promise, resolve } = deferred<CountersignError | undefined>();
    this.#greet = resolve;
    const late = setTimeout(
      () => resolve(new CountersignError('timeout', 'The owner of the directory does not answer.')),
      SOCKET_LIMITS.greetingMs,
    );
    const error = await promise;
    clearTimeout(late);
    if (error !== undefined) throw error;
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const line of this.#reader.push(chunk)) this.#reply(readReply(line));
    } catch (error) {
      this.#end(
        error instanceof CountersignError ? error : new CountersignError('protocol', 'Unreadable line.'),
      );
      this.#socket.destroy();
    }
  }

  #reply(reply: Reply): void {
    if (reply.hello !== undefined) this.#introduced(reply.hello);
    else if (reply.event !== undefined) this.#event(reply);
    else if (typeof reply.id === 'number') this.#answer(reply.id, reply);
    else if (reply.error !== undefined) this.#end(errorFromWire(reply.error));
  }

  #answer(id: number, { note, result, error }: Reply): void {
    const call = this.#calls.get(id);
    if (note !== undefined) {
      call?.onNote?.(note);
      return;
    }
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result ?? {});
    else call?.reject(errorFromWire(error));
  }

  #introduced(hello: Hello): void {
    this.#hello = hello;
    this.#greet?.();
  }

  #event(reply: Reply): void {
    if (this.#listener !== undefined) this.#listener.onEvent(reply.event ?? '', reply.data);
    else if (this.#early.length < MAX_EARLY_EVENTS) this.#early.push(reply);
  }

  #end(reason: CountersignError): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#greet?.(reason);
    for (const call of this.#calls.values()) call.reject(reason);
    this.#calls.clear();
    this.#listener?.onLost();
  }
}

/** Between the first line and {@link Channel.listen} there is one turn of the loop. */
const MAX_EARLY_EVENTS = 64;

function deferred<T>(): { promise: Promise<T>; resolve: (value?: T) => void } {
  let resolve: (value?: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle as (value?: T) => void;
  });
  return { promise, resolve };
}

function tooLarge(): CountersignError {
  return new CountersignError('payload_too_large', `A call may have ${SOCKET_LIMITS.maxLineBytes} bytes.`, {
    details: { maxBytes: SOCKET_LIMITS.maxLineBytes },
  });
}
