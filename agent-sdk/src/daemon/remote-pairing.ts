/** A pairing window that another process has open. Must not know how a window works. */
import { CountersignError } from '@countersign/protocol';
import { z } from 'zod';
import type { PairingSession } from '../api.js';
import { ArrivalQueue, type SessionArrival } from '../devices/arrival-queue.js';
import { type QrFormat, qrCode } from '../devices/qr.js';
import type { Channel } from './channel.js';

const windowSchema = z.object({ call: z.int(), link: z.string(), qrJson: z.string(), expiresAt: z.number() });
const arrivalSchema = z.object({
  deviceId: z.string(),
  platform: z.string(),
  refused: z.literal(true).optional(),
});
const answerSchema = z.object({ answer: z.enum(['ok', 'wrong', 'closed']) });

/** Resolves when the window is open. @throws CountersignError what the agent refuses with. */
export function remotePairing(channel: Channel, options: { ttlMs?: number }): Promise<PairingSession> {
  return new Promise((resolve, reject) => {
    const arrivals = new ArrivalQueue();
    const onNote = (note: Record<string, unknown>): void => {
      const window = windowSchema.safeParse(note.window);
      if (window.success) resolve(new RemotePairing(channel, window.data, arrivals, ended));
      const arrival = arrivalSchema.safeParse(note.arrival);
      if (arrival.success) arrivals.push(asArrival(arrival.data));
    };
    const ended = channel.call('startPairing', options, { onNote }).then(
      () => undefined,
      (error: unknown) => reject(error as Error),
    );
    void ended.then(() => arrivals.end());
  });
}

function asArrival({ refused, ...arrival }: z.infer<typeof arrivalSchema>): SessionArrival {
  return refused === undefined ? arrival : { ...arrival, refused };
}

class RemotePairing implements PairingSession {
  readonly link: string;
  readonly qrJson: string;
  readonly expiresAt: number;
  readonly #channel: Channel;
  readonly #call: number;
  readonly #arrivals: ArrivalQueue;
  readonly #ended: Promise<void>;

  constructor(
    channel: Channel,
    window: z.infer<typeof windowSchema>,
    arrivals: ArrivalQueue,
    ended: Promise<void>,
  ) {
    this.link = window.link;
    this.qrJson = window.qrJson;
    this.expiresAt = window.expiresAt;
    this.#channel = channel;
    this.#call = window.call;
    this.#arrivals = arrivals;
    this.#ended = ended;
  }

  qr(format: 'terminal'): Promise<string>;
  qr(format: 'svg'): Promise<string>;
  qr(format: 'png'): Promise<Uint8Array>;
  qr(format: QrFormat): Promise<string | Uint8Array> {
    return qrCode(this.link, format);
  }

  devices(): ReturnType<PairingSession['devices']> {
    return this.#arrivals;
  }

  confirm(deviceId: string, code: string): Promise<'ok' | 'wrong' | 'closed'> {
    return this.#ask('confirmPairing', { deviceId, code });
  }

  async confirmUnverified(deviceId: string): Promise<'ok' | 'closed'> {
    return (await this.#ask('confirmUnverified', { deviceId })) === 'ok' ? 'ok' : 'closed';
  }

  async refuse(deviceId: string): Promise<void> {
    await this.#channel.call('refusePairing', { call: this.#call, deviceId });
  }

  async stop(): Promise<void> {
    await this.#channel.call('stopPairing', { call: this.#call });
    await this.#ended;
  }

  async #ask(
    method: 'confirmPairing' | 'confirmUnverified',
    params: { deviceId: string; code?: string },
  ): Promise<'ok' | 'wrong' | 'closed'> {
    const parsed = answerSchema.safeParse(await this.#channel.call(method, { call: this.#call, ...params }));
    if (parsed.success) return parsed.data.answer;
    throw new CountersignError('protocol', 'The owner of the directory gave an answer nobody knows.');
  }
}
