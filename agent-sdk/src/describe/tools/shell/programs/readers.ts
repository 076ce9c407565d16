/**
 * Programs that look at things, and the options and scripts of theirs that start other programs or write files. Must not
 * know programs that change things anyway.
 */
import { type Effect, effect } from '../effect.js';
import { readLine, valuesOf } from '../words.js';
import { written } from './files.js';
import type { Rules, Use } from './use.js';

/** Scripts are looked at this far. */
const MAX_UNITS = 10_000;
const AWK_STARTS = /\bsystem\s{0,8}\(|\|\s{0,8}getline|\|&?\s{0,8}"/;
const AWK_SAYS = /\bsystem\s{0,8}\(\s{0,8}"((?:[^"\\]|\\.){1,1000})"/g;
const AWK_WRITES = /\bprintf?\b[^;}\n>]{0,200}>{1,2}\s{0,8}"([^"]{1,500})"/g;
/** GNU's `e` command and the `e` flag of `s`. */
const SED_STARTS =
  /(?:^|[;{\n])\s{0,8}(?:\d{1,9}|\$)?\s{0,8}e(?:\s|$)|\/[gpiIm\d]{0,8}e[gpiIm\d]{0,8}(?:$|[;}\s])/;

function starts(program: string): Effect {
  return effect('runs_code', `${program}, which starts programs`, 'high');
}

function awk(use: Use): Effect[] {
  const [script = ''] = readLine(use.args, ['-F', '-v', '-f', '--assign', '--file']).operands;
  const seen = script.slice(0, MAX_UNITS);
  if (!AWK_STARTS.test(seen) && !seen.includes('>')) return [];
  const said = [...seen.matchAll(AWK_SAYS)].slice(0, 10).map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
  return [
    ...said.flatMap((text) => use.script(text)),
    ...(AWK_STARTS.test(seen) ? [starts(use.program)] : []),
    ...[...seen.matchAll(AWK_WRITES)]
      .slice(0, 10)
      .map(([, file = '']) => written(use.path(file), 'overwrites')),
  ];
}

function sed({ program, args }: Use): Effect[] {
  const scripts = valuesOf(args, '-e', '--expression');
  const [first = ''] = scripts.length > 0 ? scripts : readLine(args, ['-l', '-f', '--file']).operands;
  return [first, ...scripts].some((one) => SED_STARTS.test(one.slice(0, MAX_UNITS))) ? [starts(program)] : [];
}

/** `sort -o file`, `tree -o file`. */
function output(use: Use): Effect[] {
  return valuesOf(use.args, '-o', '--output').map((file) => written(use.path(file), 'overwrites'));
}

function inPlace(use: Use): Effect[] {
  if (!use.args.some((word) => /^(?:-[a-zA-Z]*i[a-zA-Z]*|--inplace)$/.test(word))) return [];
  return readLine(use.args)
    .operands.slice(1)
    .map((file) => effect('changes', use.path(file)));
}

/** `--pre`, `--checkpoint-action=exec=…`: a program for every file. */
function helpers({ program, args, script }: Use): Effect[] {
  const named = args.flatMap((word, at) => {
    const said = /^--(?:pre|to-command|compress-program|checkpoint-action=exec)=(.+)$/s.exec(word)?.[1];
    if (said !== undefined) return [said];
    return /^--(?:pre|to-command|compress-program)$/.test(word) ? [args[at + 1] ?? ''] : [];
  });
  return named.length === 0 ? [] : [...named.slice(0, 10).flatMap((one) => script(one)), starts(program)];
}

/** `vim -c '!…'`, `vim '+!…'`. */
function editor({ program, args, script }: Use): Effect[] {
  const commands = [
    ...valuesOf(args, '-c', '--cmd'),
    ...args.filter((word) => word.startsWith('+')).map((word) => word.slice(1)),
  ];
  const shells = commands
    .map((one) => /^:?\s{0,8}(?:%|silent)?\s{0,8}!(.+)$/s.exec(one)?.[1])
    .filter((one) => one !== undefined);
  return shells.length === 0 ? [] : [...shells.slice(0, 10).flatMap((one) => script(one)), starts(program)];
}

export const READER_RULES: Rules = [
  ['awk gawk mawk nawk', awk],
  ['sed gsed', sed],
  ['sort tree', output],
  ['yq', inPlace],
  ['rg tar bsdtar sort', helpers],
  ['vi vim nvim ex', editor],
];
