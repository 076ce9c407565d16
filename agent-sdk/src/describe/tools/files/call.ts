/**
 * What a file tool is asked to do, under the argument names that agents use. Must not look at files or show anything.
 */

import type { JsonObject } from '../../call.js';
import {
  ALL,
  CONTENT,
  DIRECTORY,
  EDITS,
  FROM,
  isObject,
  isPaths,
  LINE,
  type Named,
  NEW,
  OLD,
  own,
  PATCH,
  PATH,
  PATHS,
  PATTERN,
  SKETCH,
  TO,
  text,
} from './arguments.js';
import { type Edit, MAX_EDITS } from './edit.js';
import { type Patch, readPatch, readSearchReplace } from './patch.js';

export type FileCall = {
  /** Arguments it was made from. */
  readonly used: readonly string[];
} & (
  | { readonly kind: 'write' | 'append'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly Edit[] }
  | { readonly kind: 'insert'; readonly path: string; readonly line: number; readonly content: string }
  /** New code with marks for what stays: nobody can tell what becomes of the file. */
  | { readonly kind: 'sketch'; readonly path: string; readonly content: string; readonly mode?: unknown }
  | { readonly kind: 'patch'; readonly patch: Patch; readonly text: string }
  | { readonly kind: 'read' | 'list' | 'directory'; readonly paths: readonly string[] }
  /** `whole`: directories with all that is in them. */
  | { readonly kind: 'delete'; readonly paths: readonly string[]; readonly whole?: boolean }
  | { readonly kind: 'move' | 'copy'; readonly from: string; readonly to: string }
  | { readonly kind: 'search'; readonly path: string | undefined; readonly pattern: string }
  | { readonly kind: 'undo'; readonly path: string }
);

export type FileVerb =
  | 'write'
  | 'append'
  | 'edit'
  | 'patch'
  | 'delete'
  | 'deleteDirectory'
  | 'move'
  | 'copy'
  | 'read'
  | 'list'
  | 'search'
  | 'directory'
  | 'editor';

/** The call, or undefined when the arguments are not those of such a tool. */
export function fileCall(verb: FileVerb, args: JsonObject): FileCall | undefined {
  switch (verb) {
    case 'editor':
      return editorCall(args);
    case 'write':
      return writeCall(args);
    case 'append': {
      const call = writeCall(args);
      return call?.kind === 'write' ? { ...call, kind: 'append' } : call;
    }
    case 'edit':
      return editCall(args);
    case 'patch':
      return patchCall(args) ?? editCall(args);
    case 'move':
    case 'copy':
      return pairCall(verb, args);
    case 'search':
      return searchCall(args);
    case 'delete':
    case 'read':
      return pathsCall(verb, args, PATH);
    case 'deleteDirectory': {
      const call = pathsCall('delete', args, DIRECTORY);
      return call?.kind === 'delete' ? { ...call, whole: true } : undefined;
    }
    case 'list':
    case 'directory':
      return pathsCall(verb, args, DIRECTORY);
  }
}

function writeCall(args: JsonObject): FileCall | undefined {
  const path = text(args, PATH);
  const content =
    text(args, CONTENT) ?? (own(args, 'EmptyFile') === true ? { name: 'EmptyFile', text: '' } : undefined);
  if (path === undefined || content === undefined) return undefined;
  const appends = own(args, 'append') === true || own(args, 'mode') === 'append' || own(args, 'mode') === 'a';
  const used = [
    path.name,
    content.name,
    ...(own(args, 'append') === true ? ['append'] : []),
    ...(own(args, 'mode') === 'append' ? ['mode'] : []),
  ];
  return { kind: appends ? 'append' : 'write', path: path.text, content: content.text, used };
}

function editCall(args: JsonObject): FileCall | undefined {
  const path = text(args, PATH);
  if (path === undefined) return undefined;
  const list = EDITS.find((name) => Array.isArray(own(args, name)));
  const edits = list === undefined ? undefined : editsOf(own(args, list) as unknown[]);
  if (list !== undefined && edits !== undefined)
    return { kind: 'edit', path: path.text, edits, used: [path.name, list] };
  const one = editOf(args);
  if (one !== undefined)
    return { kind: 'edit', path: path.text, edits: [one.edit], used: [path.name, ...one.used] };
  return blocksCall(args, path) ?? insertCall(args, path) ?? sketchCall(args, path) ?? patchCall(args);
}

function blocksCall(args: JsonObject, path: Named): FileCall | undefined {
  const diff = text(args, ['diff', ...PATCH]);
  const edits = diff === undefined ? undefined : readSearchReplace(diff.text);
  return diff === undefined || edits === undefined
    ? undefined
    : { kind: 'edit', path: path.text, edits, used: [path.name, diff.name] };
}

function insertCall(args: JsonObject, path: Named): FileCall | undefined {
  const content = text(args, ['insert_text', 'new_str', ...CONTENT]);
  const name = LINE.find((one) => Number.isSafeInteger(Number(own(args, one) ?? Number.NaN)));
  if (content === undefined || name === undefined) return undefined;
  return {
    kind: 'insert',
    path: path.text,
    line: Number(own(args, name)),
    content: content.text,
    used: [path.name, content.name, name],
  };
}

function sketchCall(args: JsonObject, path: Named): FileCall | undefined {
  const content = text(args, SKETCH);
  return content === undefined
    ? undefined
    : {
        kind: 'sketch',
        path: path.text,
        content: content.text,
        mode: Object.hasOwn(args, 'edit_mode') ? args.edit_mode : undefined,
        used: [path.name, content.name],
      };
}

/** A patch as text, or OpenAI's `operation` with a diff for one file. */
function patchCall(args: JsonObject): FileCall | undefined {
  const operation = own(args, 'operation');
  if (isObject(operation)) return operationCall(operation);
  const given = text(args, PATCH) ?? text(args, ['command']);
  const patch = given === undefined ? undefined : readPatch(given.text);
  if (given === undefined || patch === undefined) return undefined;
  return { kind: 'patch', patch, text: given.text, used: [given.name] };
}

function operationCall(operation: JsonObject): FileCall | undefined {
  const [type, path, diff] = [own(operation, 'type'), own(operation, 'path'), own(operation, 'diff')];
  const known = Object.keys(operation).every((name) => ['type', 'path', 'diff'].includes(name));
  if (typeof type !== 'string' || typeof path !== 'string' || !known) return undefined;
  const action = type.startsWith('create') ? 'add' : type.startsWith('delete') ? 'delete' : 'update';
  const lines = typeof diff === 'string' ? diff.split(/\r?\n/) : [];
  const broken = !/^(?:create|update|delete)_file$/.test(type);
  const patch = { files: [{ action, path, movedTo: undefined, lines } as const], broken };
  return { kind: 'patch', patch, text: typeof diff === 'string' ? diff : '', used: ['operation'] };
}

function pairCall(kind: 'move' | 'copy', args: JsonObject): FileCall | undefined {
  const [from, to] = [text(args, [...FROM, ...PATH]), text(args, TO)];
  if (from === undefined || to === undefined || from.name === to.name) return undefined;
  return { kind, from: from.text, to: to.text, used: [from.name, to.name] };
}

function searchCall(args: JsonObject): FileCall | undefined {
  const pattern = text(args, PATTERN);
  const path = text(args, DIRECTORY);
  if (pattern === undefined) return undefined;
  return {
    kind: 'search',
    pattern: pattern.text,
    path: path?.text,
    used: [pattern.name, ...(path === undefined ? [] : [path.name])],
  };
}

function pathsCall(
  kind: 'delete' | 'read' | 'list' | 'directory',
  args: JsonObject,
  names: readonly string[],
): FileCall | undefined {
  const list = PATHS.find((name) => isPaths(own(args, name)));
  if (list !== undefined) return { kind, paths: own(args, list) as string[], used: [list] };
  const path = text(args, names);
  return path === undefined ? undefined : { kind, paths: [path.text], used: [path.name] };
}

/** Anthropic's editor and its likes: the command says what is done. */
function editorCall(args: JsonObject): FileCall | undefined {
  const command = own(args, 'command');
  const path = text(args, PATH);
  if (command === 'rename' && path === undefined) return withCommand(pairCall('move', args));
  if (typeof command !== 'string' || path === undefined) return undefined;
  return withCommand(editorInner(command, args, path));
}

function withCommand(call: FileCall | undefined): FileCall | undefined {
  return call === undefined ? undefined : { ...call, used: [...call.used, 'command'] };
}

function editorInner(command: string, args: JsonObject, path: Named): FileCall | undefined {
  if (command === 'create' || command === 'write') return writeCall(args);
  if (command === 'str_replace' || command === 'replace' || command === 'edit')
    return editCall(withEmptyNew(args));
  if (command === 'insert') return insertCall(args, path);
  if (command === 'view' || command === 'read') return pathsCall('read', args, PATH);
  if (command === 'delete') return pathsCall('delete', args, PATH);
  return command === 'undo_edit' ? { kind: 'undo', path: path.text, used: [path.name] } : undefined;
}

/** A replacement by nothing may be left out. */
function withEmptyNew(args: JsonObject): JsonObject {
  const needs = text(args, OLD) !== undefined && text(args, NEW) === undefined;
  return needs ? { ...args, new_str: '' } : args;
}

function editsOf(list: readonly unknown[]): Edit[] | undefined {
  if (list.length === 0 || list.length > MAX_EDITS) return undefined;
  const edits = list.map((one) => (isObject(one) ? editOf(one) : undefined));
  // An edit that says more than this knows is not to be swallowed.
  const whole = edits.every(
    (one, at) => one !== undefined && one.used.length === Object.keys(list[at] as object).length,
  );
  return whole ? edits.flatMap((one) => one?.edit ?? []) : undefined;
}

function editOf(args: JsonObject): { edit: Edit; used: string[] } | undefined {
  const [old, young] = [text(args, OLD), text(args, NEW)];
  if (old === undefined || young === undefined || old.name === young.name) return undefined;
  const all = ALL.find((name) => typeof own(args, name) === 'boolean');
  const edit = { old: old.text, young: young.text, all: all !== undefined && own(args, all) === true };
  return { edit, used: [old.name, young.name, ...(all === undefined ? [] : [all])] };
}
