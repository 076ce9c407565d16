/** The plaintext inside a sealed message: version, compression, body, padding (02 §2). Must not know the payload. */
import { platform } from '#platform';
import { CountersignError, SEAL, utf8 } from '../frames/index.js';

const VERSION = 0x01;
const UNCOMPRESSED = 0x00;
const COMPRESSED = 0x01;
const SPACE = 0x20;

export type Unframed =
  | { ok: Uint8Array; dropped?: undefined }
  | { ok?: undefined; dropped: 'version' | 'compression' | 'malformed' | 'too_large' };

/** The size a queued plaintext is padded to: 512, 1,024, 2,048, then multiples of 4,096 bytes. */
export function paddedBytes(bytes: number): number {
  const step = SEAL.paddingStepBytes;
  return SEAL.paddingClassesBytes.find((size) => bytes <= size) ?? Math.ceil(bytes / step) * step;
}

/**
 * Frames a JSON text, uncompressed. `queued` (store-and-forward) pads with spaces, which JSON ignores.
 * @throws CountersignError `payload_too_large` above 61,440 bytes queued, 523,248 otherwise, header included.
 */
export function frameBody(json: string | Uint8Array, padding: 'queued' | 'none'): Uint8Array {
  const body = typeof json === 'string' ? utf8(json) : json;
  const bare = SEAL.headerBytes + body.length;
  const size = padding === 'queued' ? paddedBytes(bare) : bare;
  const limitBytes = padding === 'queued' ? SEAL.maxQueuedPlaintextBytes : SEAL.maxLivePlaintextBytes;
  if (size > limitBytes) {
    throw new CountersignError('payload_too_large', 'The payload is too large', { details: { limitBytes } });
  }
  const framed = new Uint8Array(size).fill(SPACE);
  framed.set([VERSION, UNCOMPRESSED]);
  framed.set(body, SEAL.headerBytes);
  return framed;
}

/**
 * The body of an opened plaintext, at most 8 MiB. Takes no compression, zlib (RFC 1950) and raw DEFLATE (RFC 1951).
 * `malformed` also stands for a compressed body that inflates to more.
 */
export async function unframe(framed: Uint8Array): Promise<Unframed> {
  if (framed.length < SEAL.headerBytes) return { dropped: 'malformed' };
  if (framed[0] !== VERSION) return { dropped: 'version' };
  const body = framed.subarray(SEAL.headerBytes);
  if (framed[1] === COMPRESSED) return inflateBody(body);
  if (framed[1] !== UNCOMPRESSED) return { dropped: 'compression' };
  return body.length > SEAL.maxInflatedBytes ? { dropped: 'too_large' } : { ok: body };
}

async function inflateBody(body: Uint8Array): Promise<Unframed> {
  const ok =
    (await platform.inflate(body, 'zlib', SEAL.maxInflatedBytes)) ??
    (await platform.inflate(body, 'raw', SEAL.maxInflatedBytes));
  return ok === undefined ? { dropped: 'malformed' } : { ok };
}
