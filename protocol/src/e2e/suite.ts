/** What a suite of crypto is to everyone outside: seals and opens, and nobody asks how (02 §3). */

export interface ChannelParams {
  /** Which end this one is. */
  readonly role: 'agent' | 'device';
  readonly namespaceId: Uint8Array;
  readonly agentEd25519: Uint8Array;
  readonly deviceEd25519: Uint8Array;
  /** Our X25519 secret key. */
  readonly mySecret: Uint8Array;
  /** The other end's X25519 public key. */
  readonly theirPublic: Uint8Array;
}

export interface SealedChannel {
  readonly suite: string;
  /**
   * Seals a framed plaintext. The caller makes sure that a counter is durable before use and never used again.
   * @throws CountersignError `invalid_request` for a counter that is no safe integer ≥ 0.
   */
  seal(counter: number, framed: Uint8Array): Promise<{ nonce: Uint8Array; ciphertext: Uint8Array }>;
  /** Undefined when it is not an authentic message of the other end. Says nothing about repetition. */
  open(
    nonce: Uint8Array,
    ciphertext: Uint8Array,
  ): Promise<{ counter: number; framed: Uint8Array } | undefined>;
}

export interface Suite {
  readonly name: string;
  /** @throws CountersignError `bad_request` for keys that must be refused. */
  open(params: ChannelParams): Promise<SealedChannel>;
}
