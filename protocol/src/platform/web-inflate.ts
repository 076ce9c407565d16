/**
 * Inflate and deflate by the Compression Streams standard, with what it lacks: a bound on the output and
 * tolerance for zero bytes after the stream. Must not know what is inside.
 *
 * The standard refuses input behind the end of the stream and does not say where the end is (and some runtimes
 * ignore what is behind it), so the end is searched: a prefix that stops short of it is taken by every write and
 * fails on close, one that reaches beyond fails in a write or ends the output early.
 */

/** Input per write, so that one write inflates to about 4 MiB at most (DEFLATE expands at most 1032 : 1). */
const WRITE_BYTES = 4_096;

/** Ends tried one by one before bisecting: a stream rarely ends in more zeros than its checksum can. */
const NEAR_ENDS = 4;

type Bytes = Uint8Array<ArrayBuffer>;
type Attempt = { at: 'end'; bytes: Bytes } | { at: 'short' | 'beyond' | 'too_large' };
type Ending = 'done' | 'error' | 'too_large';

function join(chunks: readonly Bytes[]): Bytes {
  const out = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

async function readUpTo(
  maxBytes: number,
  reader: ReadableStreamDefaultReader<Bytes>,
  into: Bytes[],
): Promise<Ending> {
  for (let total = 0; ; ) {
    const step = await reader.read().catch(() => undefined);
    if (step === undefined) return 'error';
    if (step.done) return 'done';
    total += step.value.length;
    if (total > maxBytes) return 'too_large';
    into.push(step.value);
  }
}

/** True when every write was taken before the output ended. */
async function writeAll(
  data: Bytes,
  writer: WritableStreamDefaultWriter<BufferSource>,
  ending: Promise<Ending>,
): Promise<boolean> {
  const ended = ending.then(() => false);
  for (let at = 0; at < data.length; at += WRITE_BYTES) {
    const written = writer.write(data.subarray(at, at + WRITE_BYTES)).then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([ended, written]))) return false;
  }
  return true;
}

/** Inflates exactly `data` and says where its end lies relative to the end of the stream in it. */
async function attempt(data: Bytes, format: CompressionFormat, maxBytes: number): Promise<Attempt> {
  const stream = new DecompressionStream(format);
  const writer = stream.writable.getWriter();
  const reader = (stream.readable as ReadableStream<Bytes>).getReader();
  const chunks: Bytes[] = [];
  const ending = readUpTo(maxBytes, reader, chunks);
  const taken = await writeAll(data, writer, ending);
  // Never awaited: a runtime that ignores trailing input may leave the promise of close pending for ever.
  if (taken) writer.close().catch(() => {});
  else writer.abort().catch(() => {});
  const end = await ending;
  reader.cancel().catch(() => {});
  if (end === 'too_large') return { at: end };
  if (!taken) return { at: 'beyond' };
  return end === 'done' ? { at: 'end', bytes: join(chunks) } : { at: 'short' };
}

/** The platform's `inflate`. Its input is bounded by the size of a frame, its work by about 25 inflations. */
export async function inflateBounded(
  data: Uint8Array,
  format: 'zlib' | 'raw',
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const tryPrefix = (length: number) =>
    attempt(data.subarray(0, length) as Bytes, format === 'zlib' ? 'deflate' : 'deflate-raw', maxBytes);
  let low = data.length;
  while (low > 0 && data[low - 1] === 0) low--;
  // The last byte that is not zero must belong to the stream.
  if (low === 0 || (await tryPrefix(low - 1)).at !== 'short') return undefined;
  let high = data.length;
  for (let tries = 0; low <= high; tries++) {
    const length = tries <= NEAR_ENDS ? low : (low + high) >>> 1;
    const result = await tryPrefix(length);
    if (result.at === 'end') return result.bytes;
    if (result.at === 'too_large') return undefined;
    if (result.at === 'short') low = length + 1;
    else high = length - 1;
  }
  return undefined;
}

/** The platform's `deflate` (RFC 1950). */
export async function deflateZlib(data: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([data as Bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
