import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowName } from '@countersign/protocol/blocks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRegistry } from '../describe/index.js';
import { registryWording } from './wording.js';

const registry = createRegistry();
let dir = '';

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'wording-')));
  writeFileSync(join(dir, 'a.txt'), 'old\n');
});

afterEach(() => rmSync(dir, { recursive: true }));

const call = { arguments: { path: 'a.txt', content: 'new\n' } };

async function rows(options: { fileRoots?: readonly string[] }, cwd?: string) {
  const { view } = await registryWording({ registry, ...options }).words('write_file', call, { cwd });
  return Object.fromEntries(view.blocks.map((one) => [rowName(one), one.value]));
}

describe('the words of an approval', () => {
  it('know the files in the directory the call runs in', async () => {
    expect((await rows({}, dir)).Changes).toBe('- old\n+ new');
  });

  it('know none where the call runs in the root, where no roots are given, or outside of them', async () => {
    const outside = 'outside the directories this agent shows: not compared';
    expect(await rows({}, '/')).not.toHaveProperty('Now');
    expect(await rows({ fileRoots: [] }, dir)).not.toHaveProperty('Now');
    expect((await rows({ fileRoots: [join(dir, 'sub'), '/usr'] }, dir)).Now).toBe(outside);
    expect((await rows({ fileRoots: [dir] }, dir)).Changes).toBe('- old\n+ new');
  });

  it('refuse roots that are no absolute paths', () => {
    const refused = expect.objectContaining({ code: 'invalid_request', details: { member: 'fileRoots' } });
    expect(() => registryWording({ registry, fileRoots: ['src'] })).toThrow(refused);
  });

  it('come with an estimate, and in one line at once', async () => {
    const wording = registryWording({ registry });
    const args = { arguments: { command: 'sudo ls' } };
    expect((await wording.words('Bash', args, {})).risk).toEqual({
      level: 'high',
      reasons: ['runs as root'],
    });
    expect(wording.summary('Bash', args)).toBe('As root: run sudo ls');
  });

  it('know what the server says of its tool', async () => {
    const own = createRegistry();
    own.add('tool', {
      summary: (_args, { title, schema }) => `${title} ${JSON.stringify(schema)}`,
      view: () => [],
    });
    const tool = { title: 'T', inputSchema: { type: 'object' } };
    const { view } = await registryWording({ registry: own }).words('tool', { arguments: {} }, { tool });
    expect(view.summary).toBe('T {"type":"object"}');
  });
});
