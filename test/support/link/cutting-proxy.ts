/** A TCP proxy that lets so many bytes through to its target and then cuts both ways, without a goodbye. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** Connections cut so far. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** `nextBudget` says after how many bytes each connection is cut. */
export async function cuttingProxy(targetPort: number, nextBudget: () => number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    let budget = nextBudget();
    const ends = [near, far] as const;
    for (const end of ends) {
      const other = end === near ? far : near;
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
      end.on('data', (bytes: Buffer) => {
        const passed = end === near ? Math.min(budget, bytes.length) : bytes.length;
        if (end === near) budget -= passed;
        other.write(bytes.subarray(0, passed));
        if (passed === bytes.length) return;
        cuts++;
        for (const each of ends) each.destroySoon();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
