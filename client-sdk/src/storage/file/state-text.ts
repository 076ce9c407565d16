/**
 * The text of a state file: a header line with version and SHA-256 of the rest, then one JSON object.
 * Must not know files. Bytes are written as `{"$bytes": base64}`; other keys that begin with `$` get one more.
 */
import { createHash } from 'node:crypto';
import { CountersignError } from '@countersign/protocol';
import { emptyRecords, type Records } from '../records.js';
import { COLLECTIONS, type StorageValue } from '../storage.js';

const FORMAT = 'countersign-client-state';
const VERSION = 1;
const BYTES_KEY = '$bytes';

export function encodeState(records: Records): string {
  const plain = Object.fromEntries(
    [...records].map(([name, entries]) => [
      name,
      Object.fromEntries([...entries].map(([key, value]) => [key, toJson(value)])),
    ]),
  );
  const body = JSON.stringify(plain);
  return `${JSON.stringify({ format: FORMAT, v: VERSION, sha256: sha256Hex(body) })}\n${body}\n`;
}

/** @throws CountersignError `state_corrupt`, `state_newer`; never guesses. */
export function decodeState(text: string, path: string): Records {
  const [header = '', body = '', ...rest] = text.split('\n');
  const head = parseObject(header, path);
  if (head.format !== FORMAT) throw corrupt(path, 'it is not a state file of this program');
  if (typeof head.v === 'number' && head.v > VERSION) throw newer(path);
  if (head.v !== VERSION || rest.length !== 1 || rest[0] !== '') throw corrupt(path, 'it is cut short');
  if (head.sha256 !== sha256Hex(body)) throw corrupt(path, 'its checksum does not match');
  return recordsFrom(parseObject(body, path), path);
}

function recordsFrom(plain: Record<string, unknown>, path: string): Records {
  const records = emptyRecords();
  for (const name of COLLECTIONS) {
    const entries = plain[name];
    if (!isObject(entries)) throw corrupt(path, `its part "${name}" is missing`);
    for (const [key, value] of Object.entries(entries)) records.get(name)?.set(key, fromJson(value));
  }
  return records;
}

export function corrupt(path: string, why: string): CountersignError {
  return new CountersignError(
    'state_corrupt',
    `The state file ${path} is damaged: ${why}. Nothing was changed. Put back a copy of it, or move it away and pair again.`,
  );
}

function newer(path: string): CountersignError {
  return new CountersignError(
    'state_newer',
    `The state file ${path} was written by a newer version. Update this program, or use another directory.`,
  );
}

function toJson(value: StorageValue): unknown {
  if (value instanceof Uint8Array) return { [BYTES_KEY]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(toJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key.startsWith('$') ? `$${key}` : key, toJson(member)]),
  );
}

function fromJson(value: unknown): StorageValue {
  if (Array.isArray(value)) return value.map(fromJson);
  if (!isObject(value)) return value;
  const bytes = value[BYTES_KEY];
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.startsWith('$') ? key.slice(1) : key,
      fromJson(member),
    ]),
  );
}

function parseObject(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below, without the parser's text: it quotes what it read.
  }
  throw corrupt(path, 'it is not readable as JSON');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
