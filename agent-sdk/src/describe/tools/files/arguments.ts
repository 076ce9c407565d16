/** Names under which agents give file tools their arguments, and how to read them. Must not know tools. */
import type { JsonObject } from '../../call.js';
import { listOf } from '../../list-of.js';

export const PATH = [
  ...listOf('file_path filePath path absolute_path target_file TargetFile notebook_path filename'),
  ...listOf('file_name'),
  ...listOf('relative_path AbsolutePath file target uri'),
];
export const PATHS = ['paths', 'files', 'file_paths', 'filePaths', 'include'];
export const DIRECTORY = [
  'dir_path',
  'dirPath',
  'directory',
  'directory_path',
  'DirectoryPath',
  'folder',
  'dir',
  'relative_workspace_path',
  'target_directory',
  ...PATH,
];
export const CONTENT = [
  'content',
  'contents',
  'file_text',
  'text',
  'CodeContent',
  'new_content',
  'file_content',
  'fileContent',
  'body',
  'data',
];
export const OLD = [
  'old_string',
  'old_str',
  'oldString',
  'oldText',
  'old_text',
  'TargetContent',
  'search',
  'old_content',
  'oldStr',
  'needle',
];
export const NEW = [
  'new_string',
  'new_str',
  'newString',
  'newText',
  'new_text',
  'ReplacementContent',
  'replace',
  'replacement',
  'new_content',
  'newStr',
  'repl',
];
export const ALL = ['replace_all', 'replaceAll', 'allow_multiple', 'AllowMultiple'];
export const EDITS = ['edits', 'replacements', 'ReplacementChunks', 'changes', 'operations'];
export const LINE = ['insert_line', 'line', 'line_number', 'insertLine'];
export const SKETCH = ['code_edit', 'code', 'new_source'];
export const PATCH = ['patch', 'input', 'diff', 'patchText', 'patch_text', 'patch_content'];
export const FROM = ['source', 'source_path', 'sourcePath', 'from', 'old_path', 'oldPath', 'src'];
export const TO = [
  'destination',
  'destination_path',
  'destinationPath',
  'to',
  'new_path',
  'newPath',
  'dest',
  'dst',
  'target',
];
export const PATTERN = ['pattern', 'query', 'regex', 'glob', 'glob_pattern', 'search_pattern', 'Query'];

export interface Named {
  readonly name: string;
  readonly text: string;
}

export function text(args: JsonObject, names: readonly string[]): Named | undefined {
  const name = names.find((one) => typeof own(args, one) === 'string');
  return name === undefined ? undefined : { name, text: args[name] as string };
}

export function isPaths(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(args: JsonObject, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}
