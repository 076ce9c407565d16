/**
 * What a gateway saw and said, byte for byte, so that a test can prove what is not in it.
 * Must not know what a push means.
 */
import { Ledger } from './ledger.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RecordedRequest {
  /** Which listener took it, such as `apns-sandbox`. */
  readonly listener: string;
  /** Counts connections of this listener from 1. */
  readonly connection: number;
  readonly httpVersion: '1.1' | '2';
  readonly method: string;
  readonly path: string;
  /** As received: order and repeats kept, pseudo-headers included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** By the gateway's clock. */
  readonly at: number;
  /** The answer once there is one. */
  answer?: Answer;
  /** What became of it instead of an answer. */
  fate?: string;
  /** In words, which rule it broke. Real services do not tell this. */
  refusal?: string;
}

/** `items` are the requests taken (not: answered), of all listeners in order; `count` is also the number of streams. */
export class Traffic extends Ledger<RecordedRequest> {
  /**
   * Where `needle` appears in recorded headers, paths or bodies, whether as it is, or in base64, base64url or hex
   * (a text is also sought in JSON's escapes). Empty proves absence in these forms only.
   */
  find(needle: string | Uint8Array): string[] {
    const forms = spellings(needle);
    return this.items.flatMap((request, at) =>
      [
        ['path', Buffer.from(request.path)] as const,
        ...request.headers.map(([name, value]) => [`header ${name}`, Buffer.from(value)] as const),
        ['body', request.body] as const,
      ]
        .filter(([, bytes]) => forms.some((form) => bytes.includes(form)))
        .map(([where]) => `${request.listener} request ${at}: ${where}`),
    );
  }
}

/** Base64 of a needle depends on where it starts: each of the three alignments, without the characters its neighbours share. */
function spellings(needle: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(needle);
  if (bytes.length === 0) throw new RangeError('an empty needle is everywhere');
  const aligned = [0, 1, 2].map((shift) => innerBase64(bytes, shift)).filter((text) => text.length >= 4);
  const texts = [
    ...aligned.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...(typeof needle === 'string' ? [JSON.stringify(needle).slice(1, -1)] : []),
  ];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

function innerBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const spoiledTail = (bytes.length + shift) % 3 === 0 ? 0 : 1;
  return text.slice(shift === 0 ? 0 : shift + 1, text.length - spoiledTail);
}
