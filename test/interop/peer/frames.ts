/** Relay frames (01 §2) over the little protobuf beside it. Knows members and types, no behaviour. */
import { bytesField, readFields, varintField } from './protobuf.js';

type Shape = 'bytes' | 'text' | 'number' | 'flag' | 'list' | 'texts' | Schema;
interface Schema {
  [name: string]: [no: number, shape: Shape];
}

const CLIENT: Schema = {
  namespaceId: [1, 'bytes'],
  ed25519: [2, 'bytes'],
  deviceToken: [3, 'text'],
  platform: [4, 'number'],
};
const PAIRING: Schema = {
  namespaceId: [1, 'bytes'],
  ed25519: [2, 'bytes'],
  x25519: [3, 'bytes'],
  token: [4, 'bytes'],
  deviceToken: [5, 'text'],
  platform: [6, 'number'],
};
const PROBLEM: Schema = { code: [1, 'text'], message: [2, 'text'], ref: [16, 'number'] };

const FRAME = {
  challenge: [1, { nonce: [1, 'bytes'] }],
  auth: [
    2,
    {
      agent: [1, { ed25519: [1, 'bytes'] }],
      client: [2, CLIENT],
      pairing: [3, PAIRING],
      signature: [4, 'bytes'],
      capabilities: [16, 'texts'],
      invite: [17, 'text'],
    },
  ],
  auth_ok: [3, { namespaceId: [1, 'bytes'], capabilities: [16, 'texts'], pushHandle: [17, 'bytes'] }],
  auth_error: [4, PROBLEM],
  authorize: [5, { clients: [1, 'list'] }],
  authorize_ok: [6, { authorized: [1, 'number'] }],
  pairing_start: [7, { token: [1, 'bytes'], ttl: [2, 'number'] }],
  pairing_ready: [8, { ttl: [1, 'number'] }],
  pairing_stop: [9, {}],
  pairing_stop_ok: [10, {}],
  client_paired: [
    11,
    { ed25519: [1, 'bytes'], x25519: [2, 'bytes'], platform: [3, 'number'], window: [16, 'bytes'] },
  ],
  message: [
    12,
    {
      ciphertext: [1, 'bytes'],
      nonce: [2, 'bytes'],
      peer: [3, 'bytes'],
      live: [4, 'flag'],
      ref: [16, 'number'],
      push: [17, 'bytes'],
      seq: [18, 'number'],
    },
  ],
  peer_offline: [13, { peer: [1, 'bytes'], ref: [16, 'number'] }],
  presence_request: [14, {}],
  presence_list: [15, { online: [1, 'list'] }],
  presence_event: [16, { pubkey: [1, 'bytes'], status: [2, 'number'] }],
  error: [17, PROBLEM],
} as const satisfies Record<string, readonly [number, Schema]>;

export type FrameName = keyof typeof FRAME;
export type Members = Record<string, unknown>;

export interface Frame {
  name: FrameName | 'empty' | 'unknown';
  /** Members that were present; names as in the table, numbers for unknown fields. */
  is: Members;
}

function write(schema: Schema, members: Members): Buffer {
  const parts: Buffer[] = [];
  for (const [name, [no, shape]] of Object.entries(schema)) {
    const value = members[name];
    if (value === undefined || value === 0 || value === false || value === '') continue;
    if (typeof shape === 'object') parts.push(bytesField(no, write(shape, value as Members)));
    else if (shape === 'list' || shape === 'texts')
      for (const entry of value as (string | Buffer)[]) parts.push(bytesField(no, entry));
    else if (shape === 'number' || shape === 'flag') parts.push(varintField(no, Number(value)));
    else if ((value as Buffer).length > 0) parts.push(bytesField(no, value as Buffer));
  }
  return Buffer.concat(parts);
}

function read(schema: Schema, bytes: Buffer): Members {
  const members: Members = {};
  const names = new Map(Object.entries(schema).map(([name, [no, shape]]) => [no, { name, shape }]));
  for (const [name, [no, shape]] of Object.entries(schema)) {
    if (no >= 16) continue;
    if (shape === 'bytes') members[name] = Buffer.alloc(0);
    if (shape === 'list') members[name] = [];
    if (shape === 'number') members[name] = 0;
    if (shape === 'flag') members[name] = false;
    if (shape === 'text') members[name] = '';
  }
  for (const { no, value } of readFields(bytes)) {
    const { name, shape } = names.get(no) ?? { name: String(no), shape: 'bytes' as const };
    if (typeof value === 'bigint') members[name] = shape === 'flag' ? value === 1n : Number(value);
    else if (shape === 'text') members[name] = value.toString('utf8');
    else if (shape === 'list') (members[name] as Buffer[]).push(value);
    else if (shape === 'texts')
      members[name] = [...((members[name] as string[]) ?? []), value.toString('utf8')];
    else members[name] = typeof shape === 'object' ? read(shape, value) : value;
  }
  return members;
}

export function encode(name: FrameName, members: Members = {}): Buffer {
  const [no, schema] = FRAME[name];
  return bytesField(no, write(schema, members));
}

export function decode(bytes: Buffer): Frame {
  const [first] = readFields(bytes);
  if (first === undefined) return { name: 'empty', is: {} };
  const found = Object.entries(FRAME).find(([, [no]]) => no === first.no);
  if (found === undefined) return { name: 'unknown', is: { no: first.no } };
  return { name: found[0] as FrameName, is: read(found[1][1], first.value as Buffer) };
}

/** Field numbers inside the one member of a frame, as they stood on the wire. */
export function innerFieldNumbers(bytes: Buffer): number[] {
  const [first] = readFields(bytes);
  return first === undefined ? [] : readFields(first.value as Buffer).map((field) => field.no);
}
