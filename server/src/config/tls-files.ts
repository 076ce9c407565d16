/** The certificate and key that the settings name, read and tried. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { configError } from './config-error.js';
import type { RelayConfig } from './relay-config.js';

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Undefined when no TLS is configured. @throws CountersignError `invalid_request` that names the setting. */
export function readTls({ tlsCert, tlsKey }: RelayConfig): TlsFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: readPem('tlsCert', tlsCert), key: readPem('tlsKey', tlsKey) };
  try {
    createSecureContext(tls);
    return tls;
  } catch {
    throw configError('tlsCert', 'tlsCert and tlsKey must hold a certificate chain and its key in PEM');
  }
}

function readPem(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw configError(setting, `the file ${file} cannot be read`);
  }
}
