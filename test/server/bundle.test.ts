/** Which of the two forms of the built relay its command starts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE, builtFrom, isCurrent, STAMP } from '../../server/bin/bundle.mjs';

describe('the bundle of the relay', () => {
  let folder: string;
  let server: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-bundle-'));
    server = join(folder, 'server');
    mkdirSync(join(server, BUNDLE), { recursive: true });
    mkdirSync(join(folder, 'protocol/dist'), { recursive: true });
    write('server/dist/tsbuildinfo', 'one');
    write('protocol/dist/protocol.tsbuildinfo', 'two');
    write(`server/${BUNDLE}/${STAMP}`, JSON.stringify(builtFrom(server)));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

  it('is what starts while it was made of what is built', () => {
    expect(isCurrent(server)).toBe(true);
  });

  it.each([
    ['relay', 'server/dist/tsbuildinfo'],
    ['protocol', 'protocol/dist/protocol.tsbuildinfo'],
  ])('is not once the %s was built anew', (_, path) => {
    write(path, 'other');
    expect(isCurrent(server)).toBe(false);
  });

  it('is not where there is none', () => {
    rmSync(join(server, BUNDLE, STAMP));
    expect(isCurrent(server)).toBe(false);
  });

  it('is where the protocol was installed elsewhere', () => {
    rmSync(join(folder, 'protocol'), { recursive: true });
    expect(isCurrent(server)).toBe(true);
  });
});
