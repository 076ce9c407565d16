/**
 * Under which of its names a peer dialled this relay: the challenge is bound to it (01 §3). Names come from the
 * configuration; the Host header only chooses among them. Must not know HTTP.
 */

export interface AuthorityOptions {
  /** `host[:port]` as peers write it, lower case, the scheme's default port left out. */
  readonly publicHosts: readonly string[];
  /** Bound to loopback: its names with the bound port are allowed too. */
  readonly loopback: boolean;
  readonly port: number;
  readonly secure: boolean;
}

export interface Authority {
  readonly name: string;
  /** False when the Host header named none of ours, and `name` is the first of them. */
  readonly isKnown: boolean;
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;

export class Authorities {
  readonly #options: AuthorityOptions;

  constructor(options: AuthorityOptions) {
    this.#options = options;
  }

  of(hostHeader: string | undefined): Authority {
    const host = hostHeader?.trim().toLowerCase() ?? '';
    const { publicHosts } = this.#options;
    const named = [host, host.replace(/:443$/, '')].find((name) => publicHosts.includes(name));
    const name = named ?? this.#loopbackName(host);
    return name === undefined ? { name: this.#first(), isKnown: false } : { name, isKnown: true };
  }

  /** The web origins of this relay itself. */
  ownOrigins(authority: Authority): readonly string[] {
    if (!authority.isKnown) return [];
    const names = [authority.name, ...this.#otherLoopbackNames()];
    const https = names.map((name) => `https://${name}`);
    return this.#options.secure ? https : [...https, ...names.map((name) => `http://${name}`)];
  }

  /** This machine's own names are one host: a page opened under one may dial another. */
  #otherLoopbackNames(): string[] {
    return LOOPBACK_NAMES.flatMap((name) => this.#loopbackName(`${name}:${this.#options.port}`) ?? []);
  }

  #loopbackName(host: string): string | undefined {
    const [, name, port] = HOST_AND_PORT.exec(host) ?? [];
    if (!this.#options.loopback || name === undefined || !LOOPBACK.test(name)) return undefined;
    const defaultPort = this.#options.secure ? 443 : 80;
    if (Number(port ?? defaultPort) !== this.#options.port) return undefined;
    return this.#options.port === defaultPort ? name : `${name}:${this.#options.port}`;
  }

  #first(): string {
    return this.#options.publicHosts[0] ?? `localhost:${this.#options.port}`;
  }
}
