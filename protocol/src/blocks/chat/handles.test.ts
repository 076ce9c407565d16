import { CountersignError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createHandles, HANDLE_CHARS } from './handles.js';

const rig = (given: { maxHandles?: number; ttlMs?: number } = {}) => {
  const clock = { now: 0 };
  let drawn = 0;
  const randomBytes = (length: number) => new Uint8Array(length).fill(drawn++);
  return {
    clock,
    handles: createHandles<string>({
      randomBytes,
      now: () => clock.now,
      ttlMs: 100,
      maxHandles: 3,
      ...given,
    }),
  };
};

describe('a handle', () => {
  it('is short, of harmless characters, and stands for its value', () => {
    const { handles } = rig();
    const handle = handles.issue('approve appr_1');
    expect(handle).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(handle.length).toBe(HANDLE_CHARS);
    expect(Buffer.byteLength(handle)).toBeLessThanOrEqual(64);
    expect(handles.resolve(handle)).toBe('approve appr_1');
  });

  it('is the random bytes in Base64 for URLs', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, at) => 255 - 13 * at);
    const handles = createHandles<string>({
      randomBytes: () => bytes,
      now: () => 0,
      ttlMs: 1,
      maxHandles: 1,
    });
    expect(handles.issue('x')).toBe(Buffer.from(bytes).toString('base64url'));
  });

  it('is new each time, and of a stranger means nothing', () => {
    const { handles } = rig();
    expect(handles.issue('a')).not.toBe(handles.issue('a'));
    for (const stranger of ['', '__proto__', 'A'.repeat(HANDLE_CHARS - 1), 5, null, undefined])
      expect(handles.resolve(stranger)).toBeUndefined();
  });

  it('means nothing once its time is over', () => {
    const { handles, clock } = rig();
    const handle = handles.issue('a');
    clock.now = 99;
    expect(handles.resolve(handle)).toBe('a');
    clock.now = 100;
    expect(handles.resolve(handle)).toBeUndefined();
    handles.issue('b');
    expect(handles.size).toBe(1);
  });

  it('means nothing once its item has ended', () => {
    const { handles } = rig();
    const [one, other] = [handles.issue('item 1'), handles.issue('item 2')];
    handles.forget((value) => value === 'item 1');
    expect([handles.resolve(one), handles.resolve(other)]).toEqual([undefined, 'item 2']);
  });

  it('gives way to newer ones when there are too many', () => {
    const { handles } = rig({ maxHandles: 2 });
    const [one, two, three] = ['1', '2', '3'].map((value) => handles.issue(value));
    expect([one, two, three].map((handle) => handles.resolve(handle))).toEqual([undefined, '2', '3']);
  });

  it('needs time and room', () => {
    expect(() => rig({ ttlMs: 0 })).toThrow(CountersignError);
    expect(() => rig({ maxHandles: 0 })).toThrow(CountersignError);
    expect(() => rig({ ttlMs: Number.NaN })).toThrow(CountersignError);
  });
});
