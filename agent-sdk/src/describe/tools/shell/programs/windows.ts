/** PowerShell's commands and their short names, and those of cmd.exe. Must not know other programs. */

import { isEverything, isSystemPath, isThrowaway } from '../../paths.js';
import { type Effect, effect } from '../effect.js';
import { readLine, valuesOf } from '../words.js';
import { written } from './files.js';
import type { Rules, Use } from './use.js';

/** Options are matched by any beginning: `-Rec` is `-Recurse`. */
function given(use: Use, ...names: string[]): boolean {
  return use.args.some((word) =>
    names.some((name) => word.length > 2 && name.startsWith(word.toLowerCase())),
  );
}

function named(use: Use, ...names: string[]): string[] {
  const lower = use.args.map((word) => (word.startsWith('-') ? word.toLowerCase() : word));
  return valuesOf(lower, ...names);
}

function pathsOf(use: Use): string[] {
  const explicit = named(use, '-path', '-literalpath', '-filepath', '-destination');
  const { operands } = readLine(
    use.args.filter((word) => !/^\/[A-Za-z]$/.test(word)),
    ['-Value', '-value', '-Encoding', '-encoding', '-Filter'],
  );
  return (explicit.length > 0 ? explicit : operands).map((one) => use.path(one));
}

function remove(use: Use): Effect[] {
  const deep = given(use, '-recurse') || use.args.some((word) => /^\/s$/i.test(word));
  return pathsOf(use).map((path) => {
    const grave =
      isEverything(path) || isSystemPath(path) || (deep && !isThrowaway(path)) || /^hk(?:lm|cu):/i.test(path);
    return effect('deletes', path, grave ? 'high' : 'normal');
  });
}

function write(kind: 'overwrites' | 'appends' | 'writes'): (use: Use) => Effect[] {
  return (use) =>
    pathsOf(use)
      .slice(0, 1)
      .map((path) => written(path, kind));
}

function request(use: Use): Effect[] {
  const { operands } = readLine(use.args, [
    '-OutFile',
    '-Method',
    '-Body',
    '-Headers',
    '-Uri',
    '-UserAgent',
    '-InFile',
  ]);
  const addresses = [...named(use, '-uri'), ...operands];
  const sends =
    given(use, '-body', '-infile') || /^(?:post|put|patch|delete)$/i.test(named(use, '-method').at(-1) ?? '');
  const saved = named(use, '-outfile').map((path) => written(use.path(path), 'writes'));
  return [...addresses.map((one) => effect(sends ? 'sends' : 'connects', one)), ...saved];
}

function elevated(use: Use): Effect[] {
  const target =
    named(use, '-filepath').at(-1) ?? readLine(use.args, ['-Verb', '-ArgumentList']).operands[0] ?? '';
  return /^runas$/i.test(named(use, '-verb').at(-1) ?? '')
    ? [effect('grants', `${target} to run as administrator`, 'high')]
    : [];
}

function encoded(use: Use): Effect[] {
  const given = named(use, '-encodedcommand', '-enc', '-e', '-ec').at(-1);
  if (given !== undefined) {
    const decoded = Buffer.from(given, 'base64').toString('utf16le');
    return [effect('runs_hidden', 'an encoded command', 'high'), ...use.script(decoded, 'powershell')];
  }
  const script = named(use, '-command', '-c').at(-1);
  return script === undefined ? [] : use.script(script, 'powershell');
}

function fixed(kind: Effect['kind'], what: string): (use: Use) => Effect[] {
  return (use) => [
    effect(kind, `${what}${use.args.length === 0 ? '' : ` (${use.args.slice(0, 4).join(' ')})`}`, 'high'),
  ];
}

function registry(use: Use): Effect[] {
  const [verb = '', key = ''] = use.args;
  if (/^delete$/i.test(verb)) return [effect('deletes', `registry ${key}`, 'high')];
  return /^(?:add|import|restore|load)$/i.test(verb) ? [effect('changes', `registry ${key}`, 'high')] : [];
}

export const WINDOWS_RULES: Rules = [
  ['remove-item ri clear-content del erase rd', remove],
  ['set-content sc out-file', write('overwrites')],
  ['add-content ac', write('appends')],
  ['new-item ni', write('writes')],
  ['invoke-webrequest iwr invoke-restmethod irm', request],
  ['start-process saps', elevated],
  ['pwsh powershell', encoded],
  ['stop-computer restart-computer', fixed('halts', 'the machine')],
  ['stop-process spps stop-service restart-service', fixed('halts', 'a process or service')],
  ['format-volume clear-disk initialize-disk remove-partition diskpart', fixed('erases', 'a disk')],
  ['set-executionpolicy', fixed('changes', 'which scripts may run')],
  ['register-scheduledtask new-service schtasks', fixed('persists', 'a task or service')],
  ['set-itemproperty new-itemproperty remove-itemproperty', fixed('changes', 'a setting')],
  ['install-module install-package install-script', fixed('installs', 'a module')],
  ['set-mppreference add-mppreference', fixed('changes', 'the virus protection')],
  [
    'cmd',
    (use) =>
      use.args.flatMap((word, at) =>
        /^\/[ck]$/i.test(word) ? use.script(use.args.slice(at + 1).join(' '), 'cmd') : [],
      ),
  ],
  ['reg', registry],
  ['vssadmin bcdedit cipher', fixed('changes', 'the system')],
];
