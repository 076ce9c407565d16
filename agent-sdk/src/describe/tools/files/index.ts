/** Tools that work on files, under the names that agents give them. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import type { FileVerb } from './call.js';
import { filesDescriber } from './files.js';

/** Claude Code, Codex, Gemini CLI, OpenAI and Anthropic, LangChain, editors, the MCP servers for file systems. */
const NAMES: Readonly<Record<FileVerb, readonly string[]>> = {
  editor: [
    ...listOf('str_replace_editor str_replace_based_edit_tool text_editor text_editor_20250728'),
    ...listOf('edit_based_text_editor'),
    ...listOf('developer__text_editor editor file_editor fs_write memory'),
  ],
  write: [
    ...listOf('Write write_file create_file write_to_file save_file new_file put_file file_write'),
    ...listOf('create_new_file create_text_file overwrite_file write_text_file create'),
    ...listOf('file_create'),
  ],
  append: ['append_file', 'append_to_file', 'file_append'],
  edit: [
    ...listOf('Edit MultiEdit NotebookEdit edit_file replace replace_in_file str_replace'),
    ...listOf('replace_string_in_file'),
    ...listOf('search_replace search_and_replace edit_block insert_edit_into_file replace_file_content'),
    ...listOf('update_file'),
    ...listOf('multi_replace_file_content insert_content edit_notebook file_edit modify_file insert'),
    ...listOf('update file_str_replace'),
    ...listOf('replace_content insert_at_line apply_edit propose_code'),
  ],
  patch: ['apply_patch', 'patch', 'apply_diff', 'patch_file', 'git_apply', 'apply_patch_call'],
  delete: [
    'delete_file',
    'file_delete',
    'delete_path',
    'remove_file',
    'rm_file',
    'delete_files',
    'delete',
    'remove',
    'trash_file',
  ],
  deleteDirectory: listOf(
    'delete_directory delete_dir delete_folder remove_directory remove_dir remove_folder rmdir rm_dir',
  ),
  move: ['move_file', 'move_path', 'rename_file', 'file_move', 'move', 'rename', 'move_files', 'rename_path'],
  copy: ['copy_file', 'copy_path', 'file_copy', 'copy'],
  read: [
    ...listOf('Read read_file read_text_file read_multiple_files read_many_files view_file view'),
    ...listOf('open_file cat'),
    ...listOf('NotebookRead read_media_file get_file_info file_read fs_read view_image read'),
  ],
  list: [
    ...listOf('LS list_directory list_files list_dir directory_tree list_directory_with_sizes ls tree'),
    ...listOf('list_folder'),
    ...listOf('list'),
  ],
  search: [
    ...listOf('Glob Grep search_files file_search grep_search search_file_content find_files'),
    ...listOf('glob_file_search'),
    ...listOf('codebase_search find_by_name ripgrep find'),
  ],
  directory: ['create_directory', 'make_directory', 'mkdir', 'create_folder', 'create_dir'],
};

export const fileTools: readonly DescriberEntry[] = (Object.keys(NAMES) as FileVerb[]).flatMap((verb) => {
  const describer = filesDescriber(verb);
  return NAMES[verb].map((name): DescriberEntry => [name, describer]);
});
