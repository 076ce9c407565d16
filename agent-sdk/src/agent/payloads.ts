/**
 * Payloads of devices, by kind: each becomes an effect of the receive transaction and what follows it. Must not know
 * keys or states of pairings, how a decision is judged or a snapshot made.
 */
import { shortId } from '@countersign/protocol';
import {
  type DroppedPayload,
  isAnswerKind,
  judgeTimestamp,
  MAX_ENVELOPE_ID_UNITS,
  type ReceivedHello,
  type ReceivedPayload,
  receivePayload,
} from '@countersign/protocol/payloads';
import {
  type Channels,
  type DeviceBook,
  removeDeviceRows,
  type TrustedDevice,
  withAnnounced,
} from '../devices/index.js';
import type {
  AckBody,
  Acks,
  ArrivedAnswer,
  Decisions,
  Prepared,
  Restart,
  SeenAndUsed,
  Snapshots,
} from '../inbox/index.js';
import type { Core } from './core.js';

export interface PayloadParts {
  readonly core: Core;
  readonly book: DeviceBook;
  readonly channels: Channels;
  readonly decisions: Decisions;
  readonly snapshots: Snapshots;
  readonly acks: Acks;
  readonly restart: Restart;
  /** The list of devices changed: tell the relay. */
  authorize(): Promise<void>;
}

/** A payload as parsed, before any schema. */
export type Raw = Record<string, unknown>;

export const NOTHING: Prepared = { apply() {}, async after() {} };

export class Payloads {
  readonly #parts: PayloadParts;

  constructor(parts: PayloadParts) {
    this.#parts = parts;
  }

  /** Reads and judges; nothing is changed until `apply`. `counter` is that of the message. */
  async prepare(device: TrustedDevice, counter: number, raw: Raw): Promise<Prepared> {
    const received = receivePayload(raw);
    if ('dropped' in received) return this.#dropped(device, raw, received);
    const payload = received.ok;
    const fresh = judgeTimestamp(payload.kind, payload.ts, this.#parts.core.clock.now());
    if (fresh === 'dropped') return this.#ignored('payload_stale', device);
    return this.#byKind(device, counter, raw, payload);
  }

  #byKind(
    device: TrustedDevice,
    counter: number,
    raw: Raw,
    payload: ReceivedPayload,
  ): Prepared | Promise<Prepared> {
    switch (payload.kind) {
      case 'approval_response':
      case 'clarification_response':
      case 'elicitation_response': {
        const { kind, id, request_id: requestId } = payload;
        return this.#answer(device, { kind, id, requestId, payload, raw });
      }
      case 'hello':
        return this.#hello(device, counter, payload);
      case 'inbox_request':
        return this.#inboxRequest(device, payload.request_id, payload);
      case 'logout':
        return this.#logout(device);
      case 'bypass_end':
        return this.#bypassEnd(device, payload.id, payload.bypass_id);
      case 'ack':
      case 'inbox_update':
      case 'notification':
        return this.#ignored('payload_ignored', device);
    }
  }

  /** A malformed answer is still answered: the device must not wait for ever. */
  #dropped(device: TrustedDevice, raw: Raw, dropped: DroppedPayload): Prepared | Promise<Prepared> {
    const { kind, id, request_id: requestId } = dropped;
    const nameable = kind !== undefined && isAnswerKind(kind) && id !== undefined && requestId !== undefined;
    if (!nameable || id.length > MAX_ENVELOPE_ID_UNITS)
      return this.#ignored(`payload_${dropped.dropped}`, device);
    return this.#answer(device, { kind, id, requestId, raw });
  }

  /** After every answer its device gets a snapshot: one that applied nothing must bring the item back (03 §2). */
  async #answer(device: TrustedDevice, answer: ArrivedAnswer): Promise<Prepared> {
    // No id of ours is so long, and what is acked is remembered.
    if (answer.requestId.length > MAX_ENVELOPE_ID_UNITS) return this.#ignored('payload_malformed', device);
    const { decisions, snapshots } = this.#parts;
    const prepared = await decisions.prepare(device, answer);
    return {
      apply: (tables) => prepared.apply(tables),
      async after() {
        await prepared.after();
        snapshots.sendTo(device.id);
      },
    };
  }

  #ignored(event: string, device: TrustedDevice): Prepared {
    this.#parts.core.log.debug(event, { device: shortId(device.id) });
    return NOTHING;
  }

  #hello(device: TrustedDevice, counter: number, hello: ReceivedHello): Prepared {
    const { book, snapshots } = this.#parts;
    return {
      apply(tables) {
        const row = tables.devices.get(device.id);
        if (row === undefined) return;
        tables.devices.setSupports(device.id, withAnnounced(row, hello.supports));
        if (!tables.pairings.helloApplied(device.pairing.channelId, counter)) return;
        const name = hello.device_info.device_name || hello.device_info.model || undefined;
        tables.devices.describe(device.id, name, hello.private_previews ?? false);
      },
      async after() {
        book.changed(device.id);
        snapshots.sendTo(device.id);
      },
    };
  }

  #inboxRequest(device: TrustedDevice, requestId: string | undefined, counters: SeenAndUsed): Prepared {
    const { restart, snapshots } = this.#parts;
    // Now, before this very message marks its own counter.
    const isBehind = restart.isBehind(device.pairing.channelId, counters);
    return {
      apply() {},
      async after() {
        if (isBehind) await restart.reissue();
        snapshots.sendTo(device.id, requestId);
      },
    };
  }

  #logout(device: TrustedDevice): Prepared {
    const { core, channels, snapshots, authorize } = this.#parts;
    const pairings = core.store.tables.pairings.ofDevice(device.id);
    return {
      apply: (tables) => void removeDeviceRows(core, tables, device.id),
      async after() {
        for (const { channelId } of pairings) channels.forget(channelId);
        core.store.scrub();
        core.log.info('device_logged_out', { device: shortId(device.id) });
        snapshots.changed();
        await authorize();
      },
    };
  }

  #bypassEnd(device: TrustedDevice, id: string, bypassId: string): Prepared {
    const { acks, snapshots, core } = this.#parts;
    let ended = false;
    let ack: AckBody = { ref_id: id, status: 'unknown' };
    return {
      apply(tables) {
        const first = tables.answers.get(device.id, id);
        ended = first === undefined && tables.bypasses.remove(bypassId);
        ack =
          first === undefined
            ? { ref_id: id, status: ended ? 'applied' : 'unknown' }
            : (JSON.parse(first) as AckBody);
        if (first === undefined) tables.answers.put(device.id, id, JSON.stringify(ack), core.clock.now());
      },
      async after() {
        await acks.send(device, ack);
        if (ended) snapshots.changed();
      },
    };
  }
}
