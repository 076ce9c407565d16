/**
 * The keys that sign for this relay at Web Push services. A subscription is bound to the key it was made under for
 * life, so they are made once and kept beside the data file, for its owner only. Must not know how pushes are sent.
 */
import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { configError } from './config-error.js';
import { MEMORY } from './settings.js';

const CURVE = 'prime256v1';
const SETTING = 'vapidPrivateKeys';
const OTHERS = 0o077;

export interface VapidSetup {
  /** base64url of the uncompressed point: what a page subscribes with. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/**
 * The configured keys; else the kept ones, the present one first; else a new one, kept from now on.
 * @throws CountersignError `invalid_request` for keys that cannot be used: a new one would cut off every browser.
 */
export function vapidKeys(configured: readonly string[] | undefined, store: string): readonly VapidSetup[] {
  if (configured)
    return configured.map((key) => pairOf(key, 'must be 32 bytes in base64url that are a P-256 key'));
  if (store === MEMORY) return [pairOf(newKey(), '')];
  const file = `${store}.vapid`;
  const kept = readKept(file) ?? keepNew(file);
  return kept.map((key) => pairOf(key, `the file ${file} holds no key`));
}

function readKept(file: string): string[] | undefined {
  const keys = readOrNone(file)
    ?.split(/\s+/)
    .filter((line) => line !== '');
  if (keys === undefined) return undefined;
  if (keys.length === 0) throw configError(SETTING, `the file ${file} is empty; restore it or remove it`);
  if ((statSync(file).mode & OTHERS) !== 0) {
    throw configError(SETTING, `the file ${file} must be for its owner only (chmod 600)`);
  }
  return keys;
}

function readOrNone(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw configError(SETTING, `the file ${file} cannot be read`);
  }
}

function keepNew(file: string): string[] {
  const key = newKey();
  try {
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch {
    throw configError(SETTING, `the file ${file} cannot be written`);
  }
  return [key];
}

function newKey(): string {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  // Leading zeros are cut off.
  return Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
}

function pairOf(key: string, problem: string): VapidSetup {
  const d = Buffer.from(key, 'base64url');
  if (d.length !== 32 || !/^[\w-]{43}$/.test(key)) throw configError(SETTING, problem);
  try {
    const ecdh = createECDH(CURVE);
    ecdh.setPrivateKey(d);
    const point = ecdh.getPublicKey();
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', d: key, x: x ?? '', y: y ?? '' };
    return {
      publicKey: point.toString('base64url'),
      privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    };
  } catch {
    throw configError(SETTING, problem);
  }
}
