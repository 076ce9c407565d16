import { describe, expect, it } from 'vitest';
import { buffersOf, byteLengthOf, withExactBytes, withOwnBytes } from './own-bytes.js';

const pooled = () => Buffer.from(new ArrayBuffer(8192), 100, 2000).fill(7);

describe('bytes on their way to another thread', () => {
  it('are copied out of the buffer they share, at any depth', () => {
    const view = pooled();
    const copy = withOwnBytes([{ a: view, list: [view] }, view]) as [
      { a: Uint8Array; list: Uint8Array[] },
      Uint8Array,
    ];
    for (const bytes of [copy[0].a, copy[0].list[0] as Uint8Array, copy[1]]) {
      expect(bytes).toEqual(new Uint8Array(view));
      expect(bytes.buffer.byteLength).toBe(2000);
      expect(bytes.buffer).not.toBe(view.buffer);
    }
  });

  it('leave everything that is no bytes as it is', () => {
    const data = [null, undefined, 'text', 5, true, { nested: [{ n: 1 }] }];
    expect(withOwnBytes(data)).toEqual(data);
    expect([byteLengthOf(data), buffersOf(data)]).toEqual([0, []]);
  });

  it('that nobody else holds are copied only when they do not fill their buffer', () => {
    const whole = new Uint8Array(2000);
    const [kept, copied] = withExactBytes([whole, pooled()]);
    expect(kept).toBe(whole);
    expect(copied?.buffer.byteLength).toBe(2000);
  });

  it('are moved when large, each buffer once, and cloned when small', () => {
    const large = new Uint8Array(1024);
    expect(buffersOf([large, large, new Uint8Array(1023)])).toEqual([large.buffer]);
  });

  it('are counted', () => {
    expect(byteLengthOf([pooled(), { key: new Uint8Array(32) }])).toBe(2032);
  });
});
