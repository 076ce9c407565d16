/** Acks: live while the device is there, else queued (03 §1). Must not know how a status comes about. */
import { randomBytes } from 'node:crypto';
import type { Link } from '@countersign/protocol/link';
import { type Ack, checkSend, newEnvelope } from '@countersign/protocol/payloads';
import type { Background } from '../agent/background.js';
import type { Core } from '../agent/core.js';
import type { Channels, TrustedDevice } from '../devices/index.js';
import type { LiveSends } from './live-sends.js';
import { present } from './request-checks.js';

/** An ack without its envelope. */
export type AckBody = Omit<Ack, 'v' | 'kind' | 'id' | 'ts'>;

export class Acks {
  readonly #core: Pick<Core, 'clock'>;
  readonly #link: () => Pick<Link, 'queue'>;
  readonly #channels: Channels;
  readonly #live: LiveSends;
  readonly #background: Background;

  constructor(
    core: Pick<Core, 'clock'>,
    link: () => Pick<Link, 'queue'>,
    channels: Channels,
    live: LiveSends,
    background: Background,
  ) {
    this.#core = core;
    this.#link = link;
    this.#channels = channels;
    this.#live = live;
    this.#background = background;
  }

  async send(device: TrustedDevice, body: AckBody): Promise<void> {
    const sendable = forDevice(device, body);
    if (sendable === undefined) return;
    const now = this.#core.clock.now();
    const ack = checkSend(present({ ...newEnvelope('ack', now, randomBytes(16)), ...sendable }));
    const queue = async () => void (await this.#link().queue(await this.#channels.of(device.pairing), ack));
    const sent = await this.#live.send(device, ack, () => this.#background.run('ack_queue_failed', queue));
    if (sent !== 'written') await queue();
  }
}

/** A device that never named `acks` would misread a refusal: it gets the bare ack of what was applied (03 §1). */
function forDevice(device: TrustedDevice, body: AckBody): AckBody | undefined {
  if (device.features.has('acks')) return body;
  const { ref_id, request_id, status } = body;
  return status === 'applied' ? { ref_id, request_id, status } : undefined;
}
