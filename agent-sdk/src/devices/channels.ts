/** Sealed channels of pairings, opened once each. Must not know which pairing may be used for what. */
import { fromHex, WIRE } from '@countersign/protocol';
import { type SealedChannel, suiteV2 } from '@countersign/protocol/e2e';
import type { PeerChannel } from '@countersign/protocol/link';
import type { Core } from '../agent/core.js';
import type { PairingRow } from '../store/index.js';

export class Channels {
  readonly #core: Pick<Core, 'identity' | 'namespaceId'>;
  readonly #open = new Map<string, Promise<PeerChannel>>();
  readonly #lastUsed = new Map<string, number>();

  constructor(core: Pick<Core, 'identity' | 'namespaceId'>) {
    this.#core = core;
  }

  /** @throws CountersignError `bad_request` for keys nobody can agree on. */
  of(row: PairingRow): Promise<PeerChannel> {
    const known = this.#open.get(row.channelId);
    if (known !== undefined) return known;
    const opened = this.#channel(row);
    this.#open.set(row.channelId, opened);
    opened.catch(() => this.#open.delete(row.channelId));
    return opened;
  }

  /** The highest counter this process sealed with; 0 before the first. */
  lastUsed(channelId: string): number {
    return this.#lastUsed.get(channelId) ?? 0;
  }

  /** After its pairing is gone. */
  forget(channelId: string): void {
    this.#open.delete(channelId);
  }

  async #channel(row: PairingRow): Promise<PeerChannel> {
    const deviceEd25519 = fromHex(row.device, WIRE.ed25519PublicBytes);
    if (deviceEd25519 === undefined) throw new TypeError('A device id is 64 hex characters');
    const sealed = await suiteV2.open({
      role: 'agent',
      namespaceId: this.#core.namespaceId,
      agentEd25519: this.#core.identity.ed25519Public,
      deviceEd25519,
      mySecret: row.agentX25519Secret,
      theirPublic: row.deviceX25519,
    });
    return { id: row.channelId, peer: row.device, sealed: this.#watched(row.channelId, sealed) };
  }

  #watched(channelId: string, sealed: SealedChannel): SealedChannel {
    return {
      suite: sealed.suite,
      open: (nonce, ciphertext) => sealed.open(nonce, ciphertext),
      seal: (counter, framed) => {
        this.#lastUsed.set(channelId, Math.max(counter, this.lastUsed(channelId)));
        return sealed.seal(counter, framed);
      },
    };
  }
}
