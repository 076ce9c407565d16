/** Runs the code of docs/describe/write-a-describer.md as its reader would, block after block. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';

const page = readFileSync(new URL('../../docs/describe/write-a-describer.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(js|text)\n([\s\S]*?)^```$/gm)].map(([, kind = '', text = '']) => ({
  kind,
  text,
}));
// Here, so that the packages of the repository are found.
const file = new URL('./.write-a-describer.mjs', import.meta.url);
afterAll(() => rmSync(file, { force: true }));

describe('the page "write a describer in five minutes"', () => {
  it('prints what it says it prints', async () => {
    const code = blocks.filter(({ kind }) => kind === 'js').map(({ text }) => text);
    writeFileSync(file, joined(code));
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
    // The limit of 50 ms has tests of its own; a busy machine must not change what is printed here.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    await import(file.href).finally(() => [log, clock].forEach((spy) => void spy.mockRestore()));
    const expected = blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text.trim());
    expect(printed.join('\n').trim()).toBe(expected.join('\n\n'));
    expect(expected).toHaveLength(4);
  });
});

/** One module: each name is imported once, all imports first. */
function joined(code: readonly string[]): string {
  const names = new Map<string, Set<string>>();
  const rest = code.map((text) =>
    text.replace(/^import \{ (.*) \} from '(.*)';\n/gm, (_, list: string, from: string) => {
      names.set(from, new Set([...(names.get(from) ?? []), ...list.split(', ')]));
      return '';
    }),
  );
  const imports = [...names].map(([from, list]) => `import { ${[...list].join(', ')} } from '${from}';`);
  return [...imports, ...rest].join('\n');
}
