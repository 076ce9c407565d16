/** One device that came through a pairing window: its code, its first word. Must not know how the window is shown. */
import { PAIRING } from '@countersign/protocol';
import { escapeToLine } from '@countersign/protocol/blocks';
import { normalizeCode } from '@countersign/protocol/e2e';
import type { AgentDevice, PairingSession } from '../../api.js';
import type { RemoteAgent } from '../../daemon/index.js';
import { isTrusted } from '../asking.js';
import { countdown } from '../duration.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { Prompt } from '../prompt.js';
import type { Context } from './context.js';

/** How long a confirmed device may take to say its first word. */
const FIRST_WORD_MS = 15_000;

export class Admission {
  readonly #agent: RemoteAgent;
  readonly #session: PairingSession;
  readonly #context: Context;
  readonly #device: { deviceId: string; platform: string };

  constructor(
    agent: RemoteAgent,
    session: PairingSession,
    context: Context,
    device: { deviceId: string; platform: string },
  ) {
    this.#agent = agent;
    this.#session = session;
    this.#context = context;
    this.#device = device;
  }

  async withoutCode(): Promise<number> {
    const answer = await this.#session.confirmUnverified(this.#device.deviceId);
    if (answer === 'closed') throw this.#closed();
    return this.#welcome();
  }

  async byCode(): Promise<number> {
    const { terminal } = this.#context;
    terminal.say(`A device has come (${this.#device.platform}). Type the code it shows; "no" refuses it.`);
    const prompt = new Prompt(terminal);
    try {
      for (let left = PAIRING.maxCodeMisses; ; ) {
        const code = await this.#typedCode(prompt);
        const answer = await this.#session.confirm(this.#device.deviceId, code);
        if (answer === 'ok') {
          terminal.say('The code is right. Waiting for the first word of the device …');
          return await this.#welcome();
        }
        left -= 1;
        if (answer === 'closed') throw left > 0 ? this.#closed() : this.#missed();
        terminal.say(
          terminal.style('red', `That is not the code. ${left} ${left === 1 ? 'try' : 'tries'} left.`),
        );
      }
    } finally {
      prompt.close();
    }
  }

  /** A code of the right form; anything else costs no try. */
  async #typedCode(prompt: Prompt): Promise<string> {
    const { terminal, interrupted } = this.#context;
    for (;;) {
      const typed = await prompt.ask(() => this.#question());
      if (interrupted.aborted)
        throw new CliError(interrupted.reason as number, 'Interrupted; the device was not paired.');
      if (typed === undefined)
        throw usageError('No code was given. Type it, write it to standard input, or use --yes.');
      if (/^\s*no?\s*$/i.test(typed)) throw await this.#refused();
      const code = normalizeCode(typed);
      if (code !== undefined) return code;
      if (typed.trim() !== '') terminal.say('The code has 8 letters and digits, such as 7K3M-Q9TX.');
    }
  }

  #question(): string {
    const left = this.#session.expiresAt - Date.now();
    return `Code shown on the device${left > 0 ? ` (${countdown(left)} left)` : ''}: `;
  }

  async #refused(): Promise<CliError> {
    await this.#session.refuse(this.#device.deviceId);
    return new CliError(EXIT.rejected, 'The device was refused; the link is void.');
  }

  #missed(): CliError {
    const again = `countersign pair${this.#context.place.dirOption}`;
    return new CliError(EXIT.rejected, `That is not the code. The link is void; for a new one: ${again}`);
  }

  #closed(): CliError {
    return new CliError(
      EXIT.expired,
      `The link is void by now. For a new one: countersign pair${this.#context.place.dirOption}`,
    );
  }

  /** Confirmed; waits for the device's first word, which brings its name. */
  async #welcome(): Promise<number> {
    const { terminal, place } = this.#context;
    const device = await this.#whenTrusted();
    if (device === undefined) {
      terminal.out('Confirmed. The device completes the pairing as soon as it is online.');
      return EXIT.done;
    }
    const unverified = device.verified ? '' : ' without comparing a code';
    terminal.out(`Paired with ${escapeToLine(device.name)} (${device.platform})${unverified}.`);
    terminal.say(`Try it: countersign run${place.dirOption} -- echo hello`);
    return EXIT.done;
  }

  async #whenTrusted(): Promise<AgentDevice | undefined> {
    const own = ({ deviceId }: AgentDevice): boolean => deviceId === this.#device.deviceId;
    const { interrupted } = this.#context;
    const until = AbortSignal.any([AbortSignal.timeout(FIRST_WORD_MS), interrupted]);
    const changed = new Promise<AgentDevice | undefined>((resolve) => {
      this.#agent.on('device', (device) => (own(device) && isTrusted(device) ? resolve(device) : undefined));
      until.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const present = (await this.#agent.devices.list()).find((device) => own(device) && isTrusted(device));
    return present ?? changed;
  }
}
