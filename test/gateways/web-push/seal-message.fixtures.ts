/** Encrypts a push by RFC 8291, or nearly: each part may be made wrong. */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { Subscription } from './web-push-gateway.js';

export interface Flaws {
  readonly delimiter?: number;
  readonly padding?: number;
  readonly recordSize?: number;
  readonly auth?: string;
}

export function sealMessage(plaintext: string | Buffer, to: Subscription, flaws: Flaws = {}): Buffer {
  const { delimiter = 2, padding = 0, recordSize = 4_096, auth = to.auth } = flaws;
  const receiver = Buffer.from(to.p256dh, 'base64url');
  const sender = createECDH('prime256v1');
  const senderKey = sender.generateKeys();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, senderKey]);
  const secret = sender.computeSecret(receiver);
  const ikm = Buffer.from(hkdfSync('sha256', secret, Buffer.from(auth, 'base64url'), info, 32));
  const salt = randomBytes(16);
  const derive = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', ikm, salt, `Content-Encoding: ${label}\0`, length));
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  const padded = Buffer.concat([Buffer.from(plaintext), Buffer.from([delimiter]), Buffer.alloc(padding)]);
  const record = Buffer.concat([cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(recordSize);
  size[4] = senderKey.length;
  return Buffer.concat([salt, size, senderKey, record]);
}
