/** Starts the demo's relay: on loopback, or with TLS for the network. A busy port gives way to the next. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CountersignError } from '@countersign/protocol';
import { type RunningRelay, startRelay } from '@countersign/server';

const PORTS_TO_TRY = 20;

export interface DemoTls {
  readonly cert: string;
  readonly key: string;
}

export interface DemoRelay {
  /** What agents and phones dial; the page of the app has the same host. */
  readonly url: string;
  readonly invite?: string | undefined;
  /** The certificate itself, for an agent whose system does not know its authority. */
  readonly ca?: string | undefined;
  /** Phones of the network can open the app: browsers allow its cryptography over https only. */
  readonly reachesPhones: boolean;
  close(): Promise<void>;
}

/**
 * @throws CountersignError `port_in_use` when {@link PORTS_TO_TRY} ports in a row are taken, `invalid_request` for
 * unusable TLS files.
 */
export async function startDemoRelay(
  dataFile: string,
  port: number,
  say: (line: string) => void,
  tls?: DemoTls,
): Promise<DemoRelay> {
  const ca = tls && (await readFile(tls.cert, 'utf8'));
  const host = ca === undefined ? 'localhost' : certifiedName(ca);
  for (let next = port; ; next++) {
    try {
      const relay = await start(dataFile, next, tls && { ...tls, host });
      const url = `${tls === undefined ? 'ws' : 'wss'}://${host}:${relay.port}`;
      return { url, invite: relay.invite, ca, reachesPhones: tls !== undefined, close: () => relay.close() };
    } catch (error) {
      const busy = error instanceof CountersignError && error.code === 'port_in_use';
      if (!busy || next - port + 1 >= PORTS_TO_TRY) throw error;
      say(`Port ${next} is taken, trying ${next + 1}.`);
    }
  }
}

function start(
  store: string,
  port: number,
  tls: (DemoTls & { host: string }) | undefined,
): Promise<RunningRelay> {
  if (tls === undefined) return startRelay({ port, store, opsPort: 'off' });
  const { cert: tlsCert, key: tlsKey, host } = tls;
  const publicHosts = [`${host}:${port}`];
  return startRelay({
    host: '0.0.0.0',
    port,
    store,
    tlsCert,
    tlsKey,
    publicHosts,
    serveApp: true,
    opsPort: 'off',
  });
}

/** The first name or address a certificate is for; wildcards name no machine. */
export function certifiedName(pem: string): string {
  const names = new X509Certificate(pem).subjectAltName?.split(', ') ?? [];
  const usable = names
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => !name.includes('*'));
  const [first] = usable;
  if (first !== undefined) return first;
  throw new CountersignError(
    'invalid_request',
    'The certificate names no host (subjectAltName) a phone could open.',
  );
}
