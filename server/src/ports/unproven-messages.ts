/**
 * Queued messages that were written to a peer whose proof of receipt did not come (01 §5). They stay queued; whoever
 * implements this decides how else to reach the recipient, such as by a push (04). Must not know connections.
 */
export interface UnprovenMessages {
  /**
   * Called once for each message and connection: when no proof came in time, or at once when the connection ended
   * before and no newer one took its place. `seqs` ascend; what was proved meanwhile may be gone from the store.
   * Returns at once and never throws.
   */
  unproven(namespaceId: Uint8Array, recipient: Uint8Array, seqs: readonly number[]): void;
}
