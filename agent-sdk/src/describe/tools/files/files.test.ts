import { rowName } from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import type { FileContent } from '../../describer.js';
import { createRegistry } from '../../registry.js';
import { fileTools } from './index.js';

const registry = createRegistry({ builtIns: fileTools });
const before = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');
const files = new Map<string, FileContent>([
  ['a.ts', { text: before }],
  ['crlf.txt', { text: 'a\r\nb\r\n' }],
  ['new.ts', { problem: 'missing' }],
  ['picture.png', { problem: 'binary', bytes: 12_345 }],
  ['huge.log', { problem: 'too_large', bytes: 5_000_000 }],
]);

const call = (tool: string, args: object, given: ReadonlyMap<string, FileContent> = files) =>
  registry.describeCall(tool, { arguments: args }, { files: given, cwd: '/home/me/code' });
const summary = (tool: string, args: object) => call(tool, args).view.summary;

function rows(tool: string, args: object, given?: ReadonlyMap<string, FileContent>): Record<string, string> {
  return Object.fromEntries(call(tool, args, given).view.blocks.map((one) => [rowName(one), one.value]));
}

describe('the summary of a file call', () => {
  it.each<[string, object, string]>([
    ['Write', { file_path: 'new.ts', content: 'a\nb\n' }, 'Create new.ts (2 lines)'],
    ['Write', { file_path: 'a.ts', content: `${before}x\n` }, 'Overwrite a.ts (+1 line)'],
    ['Write', { file_path: 'a.ts', content: before }, 'Overwrite a.ts (changes no line)'],
    ['Write', { file_path: 'unknown.ts', content: 'x' }, 'Write unknown.ts (1 line)'],
    ['write_file', { path: 'picture.png', content: 'x' }, 'Write picture.png, over a binary file (1 line)'],
    ['write_file', { path: 'a.ts', text: 'x\n', append: true }, 'Append to a.ts (+1 line)'],
    ['write_to_file', { TargetFile: 'new.ts', CodeContent: 'x' }, 'Create new.ts (1 line)'],
    ['Edit', { file_path: 'a.ts', old_string: 'line 5\n', new_string: 'x\ny\n' }, 'Edit a.ts (+2 −1 lines)'],
    [
      'Edit',
      { file_path: 'a.ts', old_string: 'gone', new_string: 'x' },
      'Edit a.ts (text to replace not found)',
    ],
    [
      'replace',
      { file_path: 'a.ts', old_string: 'line 5', new_string: 'x', instruction: 'i' },
      'Edit a.ts (+1 −1 lines)',
    ],
    [
      'replace_string_in_file',
      { filePath: 'a.ts', oldString: 'line 5', newString: 'x' },
      'Edit a.ts (+1 −1 lines)',
    ],
    [
      'MultiEdit',
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'line 5\n', new_string: '' },
          { old_string: 'line 9', new_string: 'x', replace_all: true },
        ],
      },
      'Edit a.ts (+1 −2 lines)',
    ],
    [
      'mcp__filesystem__edit_file',
      { path: 'a.ts', edits: [{ oldText: 'line 5', newText: 'x' }], dryRun: true },
      'Edit a.ts (+1 −1 lines)',
    ],
    [
      'replace_file_content',
      {
        TargetFile: 'a.ts',
        ReplacementChunks: [{ TargetContent: 'line 5', ReplacementContent: 'x', AllowMultiple: false }],
      },
      'Edit a.ts (+1 −1 lines)',
    ],
    [
      'replace_in_file',
      { path: 'a.ts', diff: '<<<<<<< SEARCH\nline 5\n=======\nx\n>>>>>>> REPLACE' },
      'Edit a.ts (+1 −1 lines)',
    ],
    ['edit_file', { target_file: 'a.ts', instructions: 'i', code_edit: '// …' }, 'Edit a.ts'],
    ['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c', new_source: 'x' }, 'Edit n.ipynb'],
    ['str_replace_editor', { command: 'create', path: 'new.ts', file_text: 'x' }, 'Create new.ts (1 line)'],
    [
      'str_replace_editor',
      { command: 'str_replace', path: 'a.ts', old_str: 'line 5\n' },
      'Edit a.ts (−1 line)',
    ],
    [
      'str_replace_based_edit_tool',
      { command: 'insert', path: 'a.ts', insert_line: 2, insert_text: 'x' },
      'Insert into a.ts (+1 line)',
    ],
    ['str_replace_based_edit_tool', { command: 'view', path: 'a.ts', view_range: [1, 5] }, 'Read a.ts'],
    ['str_replace_editor', { command: 'undo_edit', path: 'a.ts' }, 'Undo the last edit of a.ts'],
    ['memory', { command: 'rename', old_path: '/m/a', new_path: '/m/b' }, 'Move /m/a to /m/b'],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: b\n+x\n*** Delete File: a.ts\n*** End Patch' },
      'Delete a.ts, create b (+1 −0 lines)',
    ],
    [
      'apply_patch',
      { operation: { type: 'update_file', path: 'a.ts', diff: '@@\n-line 5\n+x' } },
      'Patch a.ts (+1 −1 lines)',
    ],
    ['patch', { patch: '--- a/a.ts\n+++ b/a.ts\n@@ -6 +6 @@\n-line 5\n+x' }, 'Patch a.ts (+1 −1 lines)'],
    ['delete_file', { target_file: 'a.ts' }, 'Delete a.ts (30 lines)'],
    ['delete_files', { paths: ['a', 'b', 'c'] }, 'Delete a, b +1'],
    ['delete_directory', { path: '/home/me', recursive: true }, 'Delete /home/me and all in it'],
    ['append_file', { path: 'new.ts', content: 'x' }, 'Append to new.ts (+1 line)'],
    ['move_file', { source: 'x', destination: 'a.ts' }, 'Move x to a.ts (replaces it)'],
    ['move_file', { source_path: 'x', destination_path: 'new.ts' }, 'Move x to new.ts'],
    ['copy_path', { source_path: 'x', destination_path: 'new.ts' }, 'Copy x to new.ts'],
    ['create_directory', { path: 'sub' }, 'Make directory sub'],
    ['Read', { file_path: 'a.ts', offset: 5 }, 'Read a.ts'],
    ['read_multiple_files', { paths: ['a', 'b'] }, 'Read a, b'],
    ['LS', { path: '/x' }, 'List /x'],
    ['Grep', { pattern: 'TODO', path: 'src' }, 'Search for TODO in src'],
    [
      'Write',
      { file_path: '/home/me/.bashrc', content: 'x' },
      'Write /home/me/.bashrc, which runs by itself (1 line)',
    ],
  ])('%s %j is "%s"', (tool, args, expected) => {
    expect(summary(tool, args)).toBe(expected);
  });

  it('shows both ends of a long path', () => {
    const path = `/start/${'x'.repeat(300)}/end.ts`;
    expect(summary('Read', { file_path: path })).toMatch(/^Read \/start\/x+…x+\/end\.ts$/);
  });

  it.each<[string, object]>([
    ['Write', { file_path: 'a' }],
    ['Edit', { file_path: 'a', old_string: 5, new_string: 'x' }],
    ['MultiEdit', { file_path: 'a', edits: [{ old_string: 'a', new_string: 'b', after: 'rm' }] }],
    ['delete', { id: 5 }],
    ['move', { from: 'a' }],
    ['apply_patch', { input: 'no patch' }],
    ['str_replace_editor', { command: 'burn', path: 'a' }],
  ])('of %s %j is left to others', (tool, args) => {
    expect(summary(tool, args).startsWith(`${tool}: `)).toBe(true);
  });
});

describe('the view of a file call', () => {
  it('has the diff against the file as it is now', () => {
    const shown = rows('Edit', {
      file_path: 'a.ts',
      old_string: 'line 5\n',
      new_string: 'five\n',
      replace_all: false,
    });
    expect(shown).toEqual({
      File: 'a.ts',
      Lines: '+1 −1 lines',
      Changes:
        '= ⋯ 2 unchanged lines\n= line 2\n= line 3\n= line 4\n- line 5\n+ five\n= line 6\n= line 7\n= line 8\n= ⋯ 21 unchanged lines',
    });
  });

  it('has the pieces alone where the file is not at hand, and says why', () => {
    const args = { file_path: 'picture.png', old_string: 'a\nsame', new_string: 'b\nsame' };
    expect(rows('Edit', args)).toMatchObject({
      Now: 'a binary file, 12,345 bytes: not compared',
      Pieces: '- a\n+ b\n= same',
    });
    expect(rows('Edit', { ...args, file_path: 'huge.log' }).Now).toBe(
      'a huge file, 5,000,000 bytes: not compared',
    );
    expect(rows('Edit', { ...args, file_path: 'unknown' })).not.toHaveProperty('Now');
  });

  it('has the content of a new file, in its language', () => {
    const { blocks } = call('Write', { file_path: 'new.ts', content: 'const a = 1;\n' }).view;
    expect(blocks.at(-1)).toMatchObject({ label: 'New file', value_type: 'code', lang: 'ts' });
    expect(rows('Write', { file_path: 'new.ts', content: '' }).Content).toBe('empty');
  });

  it('says what is odd about a change', () => {
    const watch = (args: object) => rows('Write', args)['Watch out'];
    expect(watch({ file_path: 'a.ts', content: before.trimEnd() })).toBe(
      'the line break at the end of the file goes',
    );
    expect(watch({ file_path: 'crlf.txt', content: 'a\nb\n' })).toBe(
      'all line breaks change from CRLF to LF',
    );
    expect(watch({ file_path: 'crlf.txt', content: 'a\r\nb\r\nc\r\n' })).toBeUndefined();
    expect(watch({ file_path: 'new.ts', content: 'if (a\u202E)' })).toContain('invisible');
    const twice = { file_path: 'a.ts', old_string: 'line 1', new_string: 'x' };
    expect(rows('Edit', twice)['Watch out']).toBe('the text to replace stands 11 times in the file');
  });

  it('has a diff for each file of a patch, and says what does not fit', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@\n line 4\n-line 6\n+x\n*** Add File: b.md\n+# Title\n*** Delete File: new.ts\n*** End Patch';
    const { blocks } = call('apply_patch', { input: patch }).view;
    expect(blocks.map((one) => [rowName(one), one.value, one.value_type])).toEqual([
      ['Watch out', 'a.ts: it does not fit the file as it is now', 'string'],
      ['Change a.ts', '@@\n= line 4\n- line 6\n+ x', 'diff'],
      ['Create b.md', '# Title', 'markdown'],
      ['Watch out', 'new.ts: it does not exist yet', 'string'],
      ['Delete new.ts', 'the whole file', 'string'],
    ]);
  });

  it('has a patch it cannot read as it is written', () => {
    const patch = '--- a/x\n+++ b/x\nold mode 100644\nnew mode 100755\n';
    expect(rows('patch', { patch })).toMatchObject({
      Patch: patch,
      'Watch out': expect.stringContaining('not all of the patch'),
    });
  });

  it('has what is lost with a file that goes', () => {
    const { blocks } = call(
      'delete_file',
      { path: 'big' },
      new Map([['big', { text: 'x\n'.repeat(500) }]]),
    ).view;
    expect(blocks.at(-1)).toMatchObject({
      label: 'Holds now: first 40 of 500 lines',
      truncated: true,
      value_len: 999,
    });
  });

  it('of texts too different is never blank', () => {
    const content = Array.from({ length: 5_000 }, (_, i) => `other ${i}`).join('\n');
    const shown = rows('Write', { file_path: 'a.ts', content });
    expect(shown.Lines).toBe(
      '+5000 −30 lines, too different to compare line by line: the beginning and the end of both',
    );
    expect(shown.Changes).toContain('- line 0\n');
    expect(shown.Changes).toContain('+ other 4999');
  });

  it('has every other argument', () => {
    const shown = rows('Edit', {
      file_path: 'a.ts',
      old_string: 'line 5',
      new_string: 'x',
      explanation: 'e',
      mode: 'append',
    });
    expect(shown).toMatchObject({ 'The agent says': 'e', mode: 'append' });
  });

  it('of a large file with twenty edits is whole', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, i) => `line number ${i} with some words to make it longer ${i}`,
    );
    const text = `${lines.join('\n')}\n`;
    const content = `${lines.map((line, i) => (i % 1_000 === 7 ? `${line}!` : line)).join('\n')}\n`;
    expect(text.length).toBeGreaterThan(1_000_000);
    const shown = rows('Write', { file_path: 'f', content }, new Map([['f', { text }]]));
    expect(shown.Lines).toBe('+20 −20 lines');
  });
});

describe('the risk of a file call', () => {
  it.each<[string, object, string, string[]]>([
    ['Read', { file_path: 'a.ts' }, 'low', []],
    ['Read', { file_path: '/home/me/.ssh/id_rsa' }, 'high', ['reads secrets in /home/me/.ssh/id_rsa']],
    ['Write', { file_path: 'a.ts', content: 'x\n' }, 'normal', []],
    ['Write', { file_path: '../x', content: 'x' }, 'normal', ['../x is outside the working directory']],
    ['Write', { file_path: '/home/me/code/a/../b', content: 'x' }, 'normal', []],
    [
      'Write',
      { file_path: '/home/me/codebook/b', content: 'x' },
      'normal',
      ['/home/me/codebook/b is outside the working directory'],
    ],
    [
      'Write',
      { file_path: '.github/workflows/ci.yml', content: 'x' },
      'normal',
      ['.github/workflows/ci.yml is run by others'],
    ],
    [
      'Write',
      { file_path: '.git/hooks/pre-commit', content: 'x' },
      'high',
      ['.git/hooks/pre-commit runs by itself later'],
    ],
    ['Write', { file_path: '.env', content: 'x' }, 'high', ['.env holds secrets']],
    ['delete_file', { path: 'a.ts' }, 'normal', ['deletes a.ts']],
    [
      'delete_path',
      { path: '/' },
      'high',
      ['deletes everything in /', '/ is outside the working directory', 'deletes /'],
    ],
    ['move_file', { source: 'x', destination: 'a.ts' }, 'normal', ['a.ts exists and is replaced']],
  ])('%s %j is %s', (tool, args, level, reasons) => {
    expect(call(tool, args).risk).toEqual({ level, reasons });
  });
});

describe('a file call', () => {
  it.each<[string, object, string[]]>([
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, ['a']],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: a\n*** Delete File: b\n*** End Patch' },
      ['a', 'b'],
    ],
    ['move_file', { source: 'a', destination: 'b' }, ['b']],
    ['Read', { file_path: 'a' }, []],
    ['unknown', { file_path: 'a' }, []],
    ['Write', { file_path: `a\0b`, content: '' }, []],
    ['Write', { file_path: 'a'.repeat(5_000), content: '' }, []],
  ])('%s %j wants to know %j', (tool, args, paths) => {
    expect(registry.reads(tool, { arguments: args })).toEqual(paths);
  });
});
