/** The demo's command line. Knows no relay and no agent. */
import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly headless: boolean;
  readonly reset: boolean;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The command to ask approval for: program and arguments, never a shell line. */
  readonly argv: readonly [string, ...string[]];
}

export const USAGE = `usage: npm start -- [--headless] [--reset] [--port N] [--tls-cert FILE --tls-key FILE] [-- CMD ARG…]

  --headless   no person needed: scripted devices approve, reject, race and stay silent
  --reset      forget the demo's state (pairings, queue) in .countersign/ first
  --port N     where the relay listens on 127.0.0.1 (default 8787; a busy port gives way to the next)
  --tls-cert FILE, --tls-key FILE
               open the relay and the app to phones of this network, under the certificate's name
  -- CMD ARG…  the command that needs approval; runs without a shell, in this folder`;

const DEFAULT_PORT = 8787;
/** Harmless, and its output shows that it really ran here. */
const DEFAULT_ARGV = ['node', '-p', '"Node " + process.version + " ran in " + process.cwd()'] as const;

/** @throws Error with a sentence for the person when the line cannot be read. */
export function readOptions(args: readonly string[]): DemoOptions | 'help' {
  const split = args.indexOf('--');
  const own = split === -1 ? args : args.slice(0, split);
  const [program, ...rest] = split === -1 ? [] : args.slice(split + 1);
  const { values } = parseArgs({
    args: [...own],
    options: {
      headless: { type: 'boolean', default: false },
      reset: { type: 'boolean', default: false },
      port: { type: 'string', default: String(DEFAULT_PORT) },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const tls = readTls(values['tls-cert'], values['tls-key']);
  const port = readPort(values.port);
  if (tls !== undefined && port === 0) throw new Error('With TLS the port must be known before: not 0.');
  return {
    headless: values.headless,
    reset: values.reset,
    port,
    ...(tls === undefined ? {} : { tls }),
    argv: program === undefined ? [...DEFAULT_ARGV] : [program, ...rest],
  };
}

function readTls(cert: string | undefined, key: string | undefined): DemoOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new Error('--tls-cert and --tls-key belong together.');
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--port takes a number from 0 to 65535, not "${text}".`);
}
