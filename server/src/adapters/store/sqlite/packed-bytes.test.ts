import { describe, expect, it } from 'vitest';
import { joined, pack, unpack } from './packed-bytes.js';

const view = () => Buffer.from(new ArrayBuffer(8192), 100, 2000).fill(7);

describe('bytes on their way to another thread', () => {
  it('are copied into one buffer, at any depth, and found there again', () => {
    const data = [{ a: view(), list: [Uint8Array.of(1, 2)] }, new Uint8Array(0), view()];
    const { shape, bytes } = pack(data);
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([4002, 4002]);
    const plain = [{ a: new Uint8Array(view()), list: [Uint8Array.of(1, 2)] }, new Uint8Array(0), data[2]];
    expect(unpack(structuredClone(shape), bytes)).toEqual([plain[0], plain[1], new Uint8Array(view())]);
  });

  it('stay what they were when the given arrays change', () => {
    const given = new Uint8Array(4).fill(1);
    const { shape, bytes } = pack(given);
    given.fill(2);
    expect(unpack(shape, bytes)).toEqual(new Uint8Array(4).fill(1));
  });

  it('leave everything that is no bytes as it is', () => {
    const data = [null, undefined, 'text', 5, 7n, true, { nested: [{ n: 1 }] }];
    const { shape, bytes } = pack(data);
    expect([shape, bytes.length]).toEqual([data, 0]);
    expect(unpack(shape, bytes)).toEqual(data);
  });

  it('are found behind those of other data', () => {
    const [one, two] = [pack([Uint8Array.of(1, 2, 3)]), pack([Uint8Array.of(4)])];
    const all = joined([one.bytes, two.bytes], 4);
    expect(unpack(two.shape, all, 3)).toEqual([Uint8Array.of(4)]);
  });

  it('are copied when short, so that one array does not keep all', () => {
    const { shape, bytes } = pack([new Uint8Array(9), new Uint8Array(10)]);
    const [short, long] = unpack(shape, bytes, 0, 10) as [Uint8Array, Uint8Array];
    expect(short.buffer.byteLength).toBe(9);
    expect(long.buffer).toBe(bytes.buffer);
  });
});
