/** One sealed channel between an agent and a device (02 §2): framing, padding, counters. Knows no payload kind. */
import { deflateRawSync, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type Direction, nonceOf, openBytes, sealBytes } from './crypto.js';
import type { Json } from './items.js';

export interface Sealed {
  nonce: Buffer;
  ciphertext: Buffer;
}

export interface ChannelKeys {
  key: Buffer;
  namespaceId: Buffer;
  me: Buffer;
  peer: Buffer;
  /** Direction of what is sent here. */
  sends: Direction;
}

export type Packing = 'plain' | 'padded' | 'zlib' | 'raw-deflate';

export class Channel {
  readonly keys: ChannelKeys;
  sent = BigInt(Math.floor(Date.now() / 1000)) * 2n ** 20n;
  opened: bigint[] = [];

  constructor(keys: ChannelKeys) {
    this.keys = keys;
  }

  seal(payload: Json | string, packing: Packing = 'padded', counter = ++this.sent): Sealed {
    const { key, namespaceId, me, peer, sends } = this.keys;
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const nonce = nonceOf(sends, counter);
    const aad = Buffer.concat([namespaceId, me, peer]);
    return { nonce, ciphertext: sealBytes(key, nonce, aad, pack(text, packing)) };
  }

  /** The text inside; throws when the tag, the direction or the framing is wrong, or the counter was seen. */
  openText({ nonce, ciphertext }: Sealed): string {
    const { key, namespaceId, me, peer, sends } = this.keys;
    const counter = nonce.readBigUInt64BE(4);
    const comes = sends === 'to-agent' ? 'to-device' : 'to-agent';
    if (!nonce.equals(nonceOf(comes, counter))) throw new Error('wrong direction');
    if (this.opened.includes(counter)) throw new Error('seen before');
    const plain = openBytes(key, nonce, Buffer.concat([namespaceId, peer, me]), ciphertext);
    this.opened.push(counter);
    return unpack(plain);
  }

  open(sealed: Sealed): Json {
    return JSON.parse(this.openText(sealed)) as Json;
  }
}

/** Lengths a padded plaintext may have, header included. */
export function paddedLength(length: number): number {
  return [512, 1024, 2048].find((size) => length <= size) ?? Math.ceil(length / 4096) * 4096;
}

function pack(text: string, packing: Packing): Buffer {
  const body = Buffer.from(text, 'utf8');
  if (packing === 'zlib') return Buffer.concat([Buffer.from([1, 1]), deflateSync(body)]);
  if (packing === 'raw-deflate') return Buffer.concat([Buffer.from([1, 1]), deflateRawSync(body)]);
  const plain = Buffer.concat([Buffer.from([1, 0]), body]);
  if (packing === 'plain') return plain;
  return Buffer.concat([plain, Buffer.alloc(paddedLength(plain.length) - plain.length, ' ')]);
}

function unpack(plain: Buffer): string {
  if (plain[0] !== 1) throw new Error('unknown version');
  const body = plain.subarray(2);
  if (plain[1] === 0) return body.toString('utf8');
  if (plain[1] !== 1) throw new Error('unknown compression');
  try {
    return inflateSync(body).toString('utf8');
  } catch {
    return inflateRawSync(body).toString('utf8');
  }
}
