/**
 * Sensitive answers between the device and the waiting host: bytes in memory, overwritten when taken or dropped,
 * never stored. Must not know items.
 */

export class Secrets {
  readonly #held = new Map<string, Uint8Array>();

  keep(requestId: string, json: Uint8Array): void {
    this.drop(requestId);
    this.#held.set(requestId, json);
  }

  /** The content, once. */
  take(requestId: string): Record<string, unknown> | undefined {
    const bytes = this.#held.get(requestId);
    if (bytes === undefined) return undefined;
    const content = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    this.drop(requestId);
    return content;
  }

  drop(requestId: string): void {
    this.#held.get(requestId)?.fill(0);
    this.#held.delete(requestId);
  }

  dropAll(): void {
    for (const requestId of this.#held.keys()) this.drop(requestId);
  }
}
