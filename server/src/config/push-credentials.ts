/**
 * The credentials of push providers, read and tried without a network: parsed, the kind of key, the shape of ids. What
 * is wrong is said by the name of the setting; nothing of a credential is ever repeated. Must not know how pushes
 * are sent.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { configError } from './config-error.js';

/** Smaller RSA keys are refused by Google. */
const MIN_RSA_BITS = 2_048;

export interface ApnsKeySetup {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
}

export interface ServiceAccountSetup {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
}

/** @throws CountersignError `invalid_request` that names the setting. */
export function readCredentialFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw configError(setting, `the file ${file} cannot be read`);
  }
}

/** @throws CountersignError `invalid_request`. */
export function parseApnsKey(setting: string, pem: string): KeyObject {
  const key = privateKey(setting, pem, "Apple's signing key, the .p8 file as it was downloaded");
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw configError(setting, 'must hold a key on the curve P-256, as Apple issues them');
  }
  return key;
}

/** @throws CountersignError `invalid_request`. */
export function parseServiceAccount(setting: string, text: string): ServiceAccountSetup {
  const account = jsonObject(setting, text);
  if (account.type !== 'service_account') {
    throw configError(setting, 'must be the JSON of a service account, with "type": "service_account"');
  }
  const { project_id: projectId, client_email: clientEmail, private_key: pem } = account;
  if (typeof projectId !== 'string' || !/^[\w.:-]{4,100}$/.test(projectId)) {
    throw configError(setting, 'project_id is missing or no project id');
  }
  if (typeof clientEmail !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(clientEmail)) {
    throw configError(setting, 'client_email is missing or no address');
  }
  if (typeof pem !== 'string') throw configError(setting, 'private_key is missing');
  const key = privateKey(setting, pem, 'an RSA key in private_key');
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) {
    throw configError(setting, `private_key must be an RSA key of ${MIN_RSA_BITS} bits or more`);
  }
  return { projectId, clientEmail, privateKey: key };
}

function privateKey(setting: string, pem: string, what: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw configError(setting, `must hold ${what}`);
  }
}

function jsonObject(setting: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below; the parser's own message repeats the text.
  }
  throw configError(setting, 'is not valid JSON');
}
