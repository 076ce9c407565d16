/**
 * Senders of queued messages that keep a few under way each and count what the relay accepted. Frames are built
 * before the clock runs. Must not know where the messages go.
 */
import { randomBytes } from 'node:crypto';
import { decodeFrame, encodeFrame } from '@countersign/protocol';
import type { RawSocket } from './raw-socket.js';
import { maskedFrame, OPCODE } from './ws-frames.js';

export interface Sender {
  readonly socket: RawSocket;
  /** In turn. */
  readonly recipients: readonly Uint8Array[];
}

export interface Spent {
  readonly messages: number;
  readonly ms: number;
}

const UNDER_WAY = 4;

export class Accepts {
  readonly #senders: readonly Sender[];
  #nextRef = 1n;

  constructor(senders: readonly Sender[]) {
    this.#senders = senders;
  }

  /** `each` sends so many; resolves when the last one is accepted. */
  run(each: number, messageBytes: number): Promise<Spent> {
    const frames = this.#senders.map((sender) => this.#frames(sender, each, messageBytes));
    const began = performance.now();
    const sending = this.#senders.map((sender, at) => send(sender.socket, frames[at] ?? []));
    const messages = each * this.#senders.length;
    return Promise.all(sending).then(() => ({ messages, ms: performance.now() - began }));
  }

  #frames({ recipients }: Sender, count: number, messageBytes: number): Buffer[] {
    const ciphertext = new Uint8Array(randomBytes(messageBytes));
    return Array.from({ length: count }, (_, at) => {
      const peer = recipients[at % recipients.length] as Uint8Array;
      const nonce = new Uint8Array(randomBytes(12));
      const message = {
        type: 'message',
        ciphertext,
        nonce,
        peer,
        live: false,
        ref: this.#nextRef++,
      } as const;
      return maskedFrame(OPCODE.binary, encodeFrame(message), randomBytes(4));
    });
  }
}

function send(raw: RawSocket, frames: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let [sent, accepted] = [0, 0];
    const next = () => {
      const frame = frames[sent++];
      if (frame) raw.socket.write(frame);
    };
    raw.frames((opcode, payload) => {
      if (opcode !== OPCODE.binary) return;
      const frame = decodeFrame(payload);
      if (frame?.type === 'error') reject(new Error(`the relay refused a message: ${frame.code}`));
      if (frame?.type !== 'accepted') return;
      if (++accepted === frames.length) resolve();
      next();
    });
    for (let i = 0; i < UNDER_WAY; i++) next();
  });
}
