/** Keys and hidden lines of a terminal. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Keyboard, LINE_MAX_BYTES } from './keyboard.js';

const typed = async (...chunks: (string | Buffer)[]) => {
  const stdin = new PassThrough();
  const keyboard = new Keyboard(stdin, () => undefined);
  const line = keyboard.readLine('?');
  for (const chunk of chunks) stdin.write(chunk);
  const bytes = await line;
  keyboard.close();
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
};

describe('a hidden line', () => {
  it('ends at Enter, takes characters that come in pieces, and is mended by whole characters', async () => {
    const cat = Buffer.from('🐈');
    expect(await typed('a', cat.subarray(0, 2), cat.subarray(2), 'é\u007f', 'b\r')).toBe('a🐈b');
    expect(await typed('\u007f\u007fx\n')).toBe('x');
  });

  it('is given up with Ctrl-D', async () => {
    expect(await typed('secret\u0004')).toBeUndefined();
  });

  it('holds no more than its limit', async () => {
    expect(await typed('x'.repeat(LINE_MAX_BYTES + 10), '\r')).toHaveLength(LINE_MAX_BYTES);
  });

  it('is given up when the keyboard closes', async () => {
    const keyboard = new Keyboard(new PassThrough(), () => undefined);
    const line = keyboard.readLine('?');
    keyboard.close();
    expect(await line).toBeUndefined();
  });
});
