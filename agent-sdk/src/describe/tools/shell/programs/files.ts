/** Programs that change files. Must not know other programs. */

import { readPatch } from '../../files/patch.js';
import {
  isDevice,
  isEverything,
  isSecretFile,
  isSystemPath,
  isThrowaway,
  startsByItself,
} from '../../paths.js';
import { type Effect, effect } from '../effect.js';
import { has, readLine, valuesOf } from '../words.js';
import { FED, type Rules, type Use } from './use.js';

/** Writing to a path, said by what the path is. */
export function written(path: string, kind: 'overwrites' | 'appends' | 'writes' | 'changes'): Effect {
  if (isDevice(path)) return effect('erases', path, 'high');
  if (startsByItself(path)) return effect('persists', path, 'high');
  return effect(kind, path, isSystemPath(path) || isSecretFile(path) ? 'high' : 'normal');
}

/** Commands that `find` starts, and their words; more are not looked at. */
const MAX_STARTED = 8;
const MAX_STARTED_WORDS = 200;

function operandsOr(use: Use, operands: readonly string[]): string[] {
  return [...operands.map((one) => use.path(one)), ...(use.fed ? [FED] : [])];
}

function remove(use: Use): Effect[] {
  const { options, operands } = readLine(use.args);
  const deep = has(options, '-r', '-R', '--recursive') || use.program === 'rimraf';
  return operandsOr(use, operands).map((path) => {
    const grave = isEverything(path) || isSystemPath(path) || (deep && !isThrowaway(path));
    return effect('deletes', path, grave ? 'high' : 'normal');
  });
}

function find(use: Use): Effect[] {
  const start = use.args.findIndex((word) => /^[-(!]/.test(word));
  const places = (start === -1 ? use.args : use.args.slice(0, start)).map((one) => use.path(one));
  const names = valuesOf(use.args, '-name', '-iname', '-path').join(', ');
  const what = `${names === '' ? 'everything' : names} under ${places.join(', ') || '.'}`;
  const deleted = use.args.includes('-delete') ? [effect('deletes', what, 'high')] : [];
  return [
    ...deleted,
    ...started(use).flatMap((words) =>
      use
        .command(words.map((word) => (word === '{}' ? what : word)))
        .map((one) => (one.kind === 'deletes' ? { ...one, level: 'high' as const } : one)),
    ),
  ];
}

/** The commands of `-exec … ;`, `-execdir … +`, `-ok …`. */
function started(use: Use): string[][] {
  const starts = use.args.flatMap((word, at) => (/^-(?:exec|ok)(?:dir)?$/.test(word) ? [at] : []));
  return starts.slice(0, MAX_STARTED).map((at) => {
    const rest = use.args.slice(at + 1, at + 1 + MAX_STARTED_WORDS);
    const end = rest.findIndex((one) => one === ';' || one === '+' || one === '\\;');
    return rest.slice(0, end === -1 ? undefined : end);
  });
}

function move(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-t', '--target-directory', '-S']);
  if (operands.length < 2) return [];
  const to = use.path(operands.at(-1) ?? '');
  const from = operands.slice(0, -1).map((one) => use.path(one));
  return [...from.map((path) => effect('moves', `${path} to ${to}`, level(path, to))), ...special(to)];
}

function copy(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-t', '--target-directory', '-S', '-m', '-o', '-g']);
  if (operands.length < 2) return [];
  const to = use.path(operands.at(-1) ?? '');
  const secrets = operands
    .slice(0, -1)
    .map((one) => use.path(one))
    .filter(isSecretFile);
  return [
    ...secrets.map((path) => effect('reads_secrets', path, 'high')),
    ...(special(to).length > 0 ? special(to) : [written(to, 'writes')]),
  ];
}

function special(path: string): Effect[] {
  return isDevice(path) || startsByItself(path) ? [written(path, 'overwrites')] : [];
}

function level(...paths: string[]): 'high' | 'normal' {
  return paths.some((path) => isSystemPath(path) || isSecretFile(path)) ? 'high' : 'normal';
}

function dd(use: Use): Effect[] {
  return use.args.flatMap((word) =>
    word.startsWith('of=') ? [written(use.path(word.slice(3)), 'overwrites')] : [],
  );
}

function tee(use: Use): Effect[] {
  const { options, operands } = readLine(use.args);
  return operands.map((one) =>
    written(use.path(one), has(options, '-a', '--append') ? 'appends' : 'overwrites'),
  );
}

/** Editors of streams that write back into the file only when told so. */
function inPlace(use: Use): Effect[] {
  const { options, operands } = readLine(use.args, ['-e', '-f', '--expression', '--file']);
  const inFile = has(options, '-i', '--in-place') || options.some((one) => /^-[a-z]*i/.test(one));
  if (!inFile) return [];
  const withScript =
    use.args.some((word) => /^(?:-e|-f|--expression|--file|-p[a-z]*e)/.test(word)) || use.program === 'perl';
  return operandsOr(use, operands.slice(withScript && use.program !== 'perl' ? 0 : 1)).map((path) =>
    written(path, 'changes'),
  );
}

function rights(use: Use): Effect[] {
  const { options, operands } = readLine(use.args, ['--reference']);
  const [mode = '', ...paths] = operands;
  const open = use.program === 'chmod' && /^(?:0?777|.*[+=].*[ws].*|[2467]\d{3})$/.test(mode);
  return operandsOr(use, paths).map((path) => {
    const grave =
      isEverything(path) || isSystemPath(path) || (open && /777|[ao]\+.*w|[us]\+s|^[2467]\d{3}$/.test(mode));
    const deep = has(options, '-R', '--recursive') ? ' and all in it' : '';
    const kind = use.program === 'chown' || use.program === 'chgrp' ? 'owns' : 'grants';
    return effect(kind, `${path}${deep} to ${mode}`, grave ? 'high' : 'normal');
  });
}

function extract(use: Use): Effect[] {
  const { options, operands } = readLine(use.args, ['-d', '-C', '-f', '-x']);
  const unpacks =
    use.program === 'unzip' || has(options, '-x', '--extract') || /^[a-z]*x/.test(operands[0] ?? '');
  if (!unpacks) return read(use);
  if (has(options, '-l', '-t', '--list')) return [];
  return [effect('writes', use.path(valuesOf(use.args, '-C', '--directory', '-d').at(-1) ?? '.'))];
}

function created(use: Use): Effect[] {
  return readLine(use.args, ['-m', '-d', '-r', '-t']).operands.map((one) => written(use.path(one), 'writes'));
}

/** Readers; worth a word only when what they read is secret. */
function read(use: Use): Effect[] {
  return use.args
    .map((one) => use.path(one.replace(/^@/, '')))
    .filter(isSecretFile)
    .map((path) => effect('reads_secrets', path, 'high'));
}

function erase(use: Use): Effect[] {
  return operandsOr(use, readLine(use.args, ['-n', '-s', '-t', '-L', '--iterations', '--size']).operands).map(
    (path) => effect('erases', path, 'high'),
  );
}

function truncate(use: Use): Effect[] {
  return readLine(use.args, ['-s', '--size', '-r']).operands.map((one) =>
    written(use.path(one), 'overwrites'),
  );
}

function link(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-t', '-S']);
  return operands.length < 2 ? [] : [written(use.path(operands.at(-1) ?? ''), 'writes')];
}

/** Codex's own patch program, its patch as an argument or to be read. */
function patch(use: Use): Effect[] {
  const files = readPatch(use.input ?? use.args[0] ?? '')?.files ?? [];
  return files.map(({ action, path }) =>
    action === 'delete'
      ? effect('deletes', use.path(path))
      : written(use.path(path), action === 'add' ? 'writes' : 'changes'),
  );
}

export const FILE_RULES: Rules = [
  ['apply_patch applypatch', patch],
  ['rm rmdir unlink rimraf trash', remove],
  ['find fd gfind', find],
  ['mv move ren rename', move],
  ['cp copy install rsync-local', copy],
  ['ln', link],
  ['dd', dd],
  ['tee sponge', tee],
  ['sed gsed perl ruby', inPlace],
  ['chmod chown chgrp setfacl', rights],
  ['tar bsdtar unzip zip 7z', extract],
  ['touch mkdir mkfifo', created],
  ['shred wipe wipefs mkswap blkdiscard sgdisk parted fdisk', erase],
  ['mkfs mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat newfs format', erase],
  ['truncate', truncate],
  ['cat bat head tail less more strings xxd hexdump base64 grep rg awk cut sort od nl tac gpg openssl', read],
];
