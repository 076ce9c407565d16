/** Calls to a scripted child process over Node's IPC, one reply per call. Knows no protocol of ours. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string };

export type Commands = Record<string, (argument: never) => Promise<unknown>>;

/** The parent's side: `call` names a command of the child and resolves with its value. */
export class ScriptedChild<C extends Commands> {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(module: string, argument: object) {
    const file = fileURLToPath(new URL(module, import.meta.url));
    this.#process = fork(file, [JSON.stringify(argument)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#process.on('message', (reply: Reply) => this.#settle(reply));
    this.#process.once('exit', () => this.#abandon());
  }

  call<K extends keyof C & string>(
    command: K,
    argument?: Parameters<C[K]>[0],
  ): Promise<Awaited<ReturnType<C[K]>>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as Awaited<ReturnType<C[K]>>), reject });
      this.#process.send({ id, command, argument });
    });
  }

  /** SIGKILL: no goodbye, as in a crash. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }

  #settle(reply: Reply): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error === undefined) waiter?.resolve(reply.value);
    else waiter?.reject(new Error(reply.error));
  }

  #abandon(): void {
    for (const waiter of this.#waiting.values()) waiter.reject(new Error('the process ended'));
    this.#waiting.clear();
  }
}

/** The child's side: serves the commands until the parent goes. */
export function serveParent(commands: Commands): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', (message: { id: number; command: string; argument: never }) => {
    void answer(commands, message).then((reply) => process.connected && process.send?.(reply));
  });
}

async function answer(
  commands: Commands,
  message: { id: number; command: string; argument: never },
): Promise<Reply> {
  try {
    const command = commands[message.command];
    if (command === undefined) throw new Error(`no command ${message.command}`);
    return { id: message.id, value: await command(message.argument) };
  } catch (error) {
    return { id: message.id, error: error instanceof Error ? error.message : String(error) };
  }
}
