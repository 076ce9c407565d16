import { describe, expect, it } from 'vitest';
import { MAX_PATCH_LINES, MAX_PATCHED_FILES, readPatch, readSearchReplace } from './patch.js';

const codex = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

describe('a patch of Codex', () => {
  it('adds, updates, moves and deletes', () => {
    const text = codex(
      '*** Add File: a',
      '+x',
      '*** Update File: b',
      '*** Move to: c',
      '@@ f()',
      ' s',
      '-o',
      '+n',
      '*** End of File',
      '*** Delete File: d',
    );
    expect(readPatch(text)).toEqual({
      broken: false,
      files: [
        { action: 'add', path: 'a', movedTo: undefined, lines: ['+x'] },
        { action: 'update', path: 'b', movedTo: 'c', lines: ['@@ f()', ' s', '-o', '+n'] },
        { action: 'delete', path: 'd', movedTo: undefined, lines: [] },
      ],
    });
  });

  it.each([
    ['without an end', '*** Begin Patch\n*** Add File: a\n+x'],
    ['with a line of no kind', codex('*** Update File: a', 'x')],
    ['with something before its files', codex('+x', '*** Add File: a')],
    ['with something behind its end', `${codex('*** Add File: a')}rm -rf /`],
    ['with Windows line breaks and a stray line', codex('*** Update File: a', '?').replaceAll('\n', '\r\n')],
  ])('%s is broken', (_name, text) => {
    expect(readPatch(text)?.broken).toBe(true);
  });

  it('of more lines than the limit is broken', () => {
    const patch = readPatch(codex('*** Add File: a', ...Array<string>(MAX_PATCH_LINES).fill('+x')));
    expect(patch?.broken).toBe(true);
  });

  it('of more files than the limit is broken and cut', () => {
    const patch = readPatch(
      codex(...Array.from({ length: MAX_PATCHED_FILES + 1 }, (_, i) => `*** Delete File: ${i}`)),
    );
    expect([patch?.files.length, patch?.broken]).toEqual([MAX_PATCHED_FILES, true]);
  });
});

describe('a unified diff', () => {
  it('is read with the names of git, additions, deletions and renames', () => {
    const text = [
      'diff --git a/x b/x',
      'index 0123456..89abcde 100644',
      '--- a/x',
      '+++ b/x',
      '@@ -1,2 +1,2 @@ f',
      '-o',
      '+n',
      ' s',
      '--- /dev/null',
      '+++ b/new',
      '@@ -0,0 +1 @@',
      '+++ not a header',
      '\\ No newline at end of file',
      '--- a/gone\t2020-01-01',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '--- not a header',
      'rename from p',
      'rename to q',
    ].join('\n');
    expect(readPatch(text)).toEqual({
      broken: false,
      files: [
        { action: 'update', path: 'x', movedTo: undefined, lines: ['@@ -1,2 +1,2 @@ f', '-o', '+n', ' s'] },
        {
          action: 'add',
          path: 'new',
          movedTo: undefined,
          lines: ['@@ -0,0 +1 @@', '+++ not a header', '\\ No newline at end of file'],
        },
        { action: 'delete', path: 'gone', movedTo: undefined, lines: ['@@ -1 +0,0 @@', '--- not a header'] },
        { action: 'update', path: 'p', movedTo: 'q', lines: [] },
      ],
    });
  });

  it.each([
    ['makes a file executable', '--- a/x\n+++ b/x\nold mode 100644\nnew mode 100755'],
    ['has fewer lines than it says', '--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a'],
    ['has more lines than it says', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c'],
    ['holds binary data', '--- a/x\n+++ b/x\nGIT binary patch\nabc'],
  ])('that %s is broken: it is shown as it is written', (_name, text) => {
    expect(readPatch(text)?.broken).toBe(true);
  });

  it('is not seen in other text', () => {
    expect(readPatch('hello\n--- \nx')).toBeUndefined();
  });
});

describe('blocks of search and replace', () => {
  it.each([
    ['<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE'],
    ['------- SEARCH\na\nb\n=======\nc\n+++++++ REPLACE'],
    ['<<<<<<< SEARCH\n:start_line:4\n-------\na\nb\n=======\nc\n>>>>>>> REPLACE'],
  ])('%j are an edit', (text) => {
    expect(readSearchReplace(text)).toEqual([{ old: 'a\nb', young: 'c', all: false }]);
  });

  it('that do not end are none', () => {
    expect(readSearchReplace('<<<<<<< SEARCH\na\n=======\nb')).toBeUndefined();
    expect(readSearchReplace('text')).toBeUndefined();
  });
});
