/**
 * The network between one peer and the relay: a TCP proxy on loopback that cuts, stalls, and forgets connections
 * without a FIN, as a lost radio does. Must not know what is carried, nor when to fail.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** Nothing passes any more, and neither side hears of the other's end. */
  lost: boolean;
}

export class FaultyWire {
  /** Where the relay listens now; undefined while it is down. */
  target: number | undefined;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (near) => this.#carry(near));
  }

  static async open(): Promise<FaultyWire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyWire(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Both ends hear of it at once. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  /** Both ends hear nothing, of each other or of an end. */
  lose(): void {
    for (const pair of this.#pairs) {
      pair.lost = true;
      pair.near.resume();
      pair.far.resume();
    }
  }

  /** Holds what is on its way for so long, in order. */
  stall(ms: number): void {
    for (const { near, far } of this.#pairs) {
      near.pause();
      far.pause();
      setTimeout(() => {
        near.resume();
        far.resume();
      }, ms);
    }
  }

  async close(): Promise<void> {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #carry(near: Socket): void {
    near.on('error', () => undefined);
    if (this.target === undefined) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: this.target, host: '127.0.0.1' });
    const pair: Pair = { near, far, lost: false };
    this.#pairs.add(pair);
    this.#join(pair, near, far);
    this.#join(pair, far, near);
  }

  #join(pair: Pair, from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('data', (data) => {
      if (!pair.lost && !to.destroyed) to.write(data);
    });
    from.on('close', () => {
      if (!pair.lost) to.destroy();
      if (pair.near.destroyed && pair.far.destroyed) this.#pairs.delete(pair);
    });
  }
}
