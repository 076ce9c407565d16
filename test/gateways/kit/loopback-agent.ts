/**
 * An agent for clients whose hosts are fixed in their code: it connects to loopback, and asks for the certificate
 * of the name that was meant. Must not know who the names belong to.
 */
import { Agent } from 'node:https';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

export class LoopbackAgent extends Agent {
  readonly #ca: string;
  readonly #ports: Readonly<Record<string, number>>;

  /** `ports`: by host name. Other names are refused. */
  constructor(ca: string, ports: Readonly<Record<string, number>>) {
    super({ keepAlive: true, maxSockets: 64 });
    this.#ca = ca;
    this.#ports = ports;
  }

  override createConnection({ host = '', ...rest }: ConnectionOptions): TLSSocket {
    const port = Object.hasOwn(this.#ports, host) ? this.#ports[host] : undefined;
    if (port === undefined) throw new Error('this agent knows no such host');
    return connect({ ...rest, host: '127.0.0.1', port, servername: host, ca: this.#ca });
  }
}
