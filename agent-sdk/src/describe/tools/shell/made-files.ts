/** Files a script makes itself, to know what they hold when it runs them. Must not read anything. */
import { downloads, saidBy } from './origin.js';
import { addressesOf } from './programs/index.js';
import type { Invocation } from './unwrap.js';

const SAVES = /^(?:-o|--output|-O|--output-document|-OutFile)$/i;
const WRITES_TEXT = /^(?:cat|echo|printf|tee)$/;

export class MadeFiles {
  readonly #addresses = new Map<string, string>();
  readonly #texts = new Map<string, string>();

  /** `nameOf` gives a file the same name however it is written. */
  remember({ program, args, step }: Invocation, nameOf: (file: string) => string): void {
    const target = step.redirects.find(({ operator }) => operator === '>' || operator === '>|')?.target;
    if (downloads(program)) {
      const at = args.findIndex((word) => SAVES.test(word));
      const [address = ''] = addressesOf(program, args);
      for (const file of [target, at === -1 ? undefined : args[at + 1]]) {
        if (file !== undefined) this.#addresses.set(nameOf(file), address);
      }
    }
    const text = step.input ?? saidBy(step);
    if (target !== undefined && text !== undefined && WRITES_TEXT.test(program))
      this.#texts.set(nameOf(target), text);
  }

  /** Where the file was downloaded from. */
  addressOf(name: string): string | undefined {
    return this.#addresses.get(name);
  }

  /** What was written into it. */
  textOf(name: string): string | undefined {
    return this.#texts.get(name);
  }
}
