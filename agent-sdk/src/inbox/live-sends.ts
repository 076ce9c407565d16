/**
 * Live messages to devices. A relay without `ref` answers `peer_offline` without saying about which message: taken for
 * the newest one this side has not yet heard undelivered. Must not know what the messages are.
 */
import { CAPABILITY } from '@countersign/protocol';
import type { Link } from '@countersign/protocol/link';
import type { Channels, TrustedDevice } from '../devices/index.js';

/** Newest live messages per device that may still turn out undelivered. */
export const MAX_UNDELIVERED_TRACKED = 16;

type LiveLink = Pick<Link, 'sendLive' | 'state' | 'capabilities'>;

export class LiveSends {
  readonly #link: () => LiveLink;
  readonly #channels: Channels;
  readonly #recent = new Map<string, Array<() => void>>();
  readonly #unreachable = new Set<string>();

  constructor(link: () => LiveLink, channels: Channels) {
    this.#link = link;
    this.#channels = channels;
  }

  /** `offline` also while the device is known to be away. `undelivered` runs if it turns out so later. */
  async send(
    device: TrustedDevice,
    payload: object,
    undelivered: () => void,
  ): Promise<'written' | 'offline' | 'too_large'> {
    if (!this.isReachable(device.id)) return 'offline';
    const channel = await this.#channels.of(device.pairing);
    const link = this.#link();
    const result = await link.sendLive(channel, payload, { undelivered });
    const isNamed = link.capabilities.has(CAPABILITY.ref);
    if (result === 'written' && !isNamed) this.#remember(device.id, undelivered);
    return result;
  }

  isReachable(deviceId: string): boolean {
    return this.#link().state.phase === 'online' && !this.#unreachable.has(deviceId);
  }

  /** It is known not to be there. */
  away(deviceId: string): void {
    this.#unreachable.add(deviceId);
  }

  onPeerOffline(deviceId: string): void {
    this.away(deviceId);
    this.#recent.get(deviceId)?.pop()?.();
  }

  /** It is online, or was heard from. True when it was thought away. */
  onReachable(deviceId: string): boolean {
    return this.#unreachable.delete(deviceId);
  }

  /** A new login: nothing is known of anyone. */
  onLogin(): void {
    this.#unreachable.clear();
    this.#recent.clear();
  }

  #remember(deviceId: string, undelivered: () => void): void {
    const recent = this.#recent.get(deviceId) ?? [];
    recent.push(undelivered);
    if (recent.length > MAX_UNDELIVERED_TRACKED) recent.shift();
    this.#recent.set(deviceId, recent);
  }
}
