/** Programs that talk to other machines. Must not know other programs. */

import { listOf } from '../../../list-of.js';
import { isNowhere, isSecretFile } from '../../paths.js';
import { type Effect, effect } from '../effect.js';
import { has, readLine, valuesOf } from '../words.js';
import { written } from './files.js';
import type { Rules, Use } from './use.js';

const CURL_VALUES = [
  ...listOf('-H -d -o -X -u -A -e -b -c -F -T -m -x -w -E -K -r -y -Y -z'),
  ...listOf('--header --data --data-raw --data-binary --data-urlencode --json --output --request'),
  ...listOf('--user'),
  ...listOf('--user-agent --referer --cookie --cookie-jar --form --upload-file --max-time --proxy'),
  ...listOf('--retry'),
  ...listOf('--write-out --cert --key --cacert --config --connect-timeout --retry-delay --resolve'),
  ...listOf('--url'),
];
const WGET_VALUES = [
  '-O',
  '-o',
  '-P',
  '-U',
  '-T',
  '-t',
  '-a',
  '-i',
  '--header',
  '--output-document',
  '--post-data',
  '--method',
];
const SENDS = /^(?:-d|-F|-T|--data.*|--json|--form.*|--upload-file|--post-data|--post-file|--body-.*)(?:=|$)/;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/i;

/** The addresses a download program is pointed at. */
export function addressesOf(program: string, args: readonly string[]): string[] {
  const withValue = program === 'curl' ? CURL_VALUES : WGET_VALUES;
  return [...valuesOf(args, '--url'), ...readLine(args, withValue).operands];
}

function http(use: Use): Effect[] {
  const addresses = addressesOf(use.program, use.args);
  const method = valuesOf(use.args, '-X', '--request', '--method').at(-1) ?? '';
  const sends = use.args.some((word) => SENDS.test(word) || /^-[dFT]./.test(word)) || CHANGES.test(method);
  const files = valuesOf(use.args, '-o', '--output', '-O', '--output-document').filter(
    (path) => use.program === 'wget' || path !== '-O',
  );
  const saved = use.program === 'curl' ? valuesOf(use.args, '-o', '--output') : files;
  return [
    ...addresses.map((address) =>
      /^delete$/i.test(method)
        ? effect('deletes', `what is at ${address}`, 'high')
        : effect(sends ? 'sends' : 'connects', address),
    ),
    ...saved.filter((path) => !isNowhere(path)).map((path) => written(use.path(path), 'writes')),
    ...uploaded(use),
    ...(has(use.args, '--insecure') ||
    (use.program === 'curl' && use.args.some((word) => /^-[a-zA-Z]*k/.test(word)))
      ? addresses.map((address) => effect('connects', `${address} without checking who answers`, 'high'))
      : []),
  ];
}

/** `-d @file`, `-F x=@file`, `-T file`: what leaves the machine. */
function uploaded(use: Use): Effect[] {
  const given = valuesOf(
    use.args,
    '-d',
    '--data',
    '--data-binary',
    '--data-raw',
    '-F',
    '--form',
    '-T',
    '--upload-file',
    '--post-file',
  );
  const files = given.map((one) => one.replace(/^(?:[^=@]*=)?@/, ''));
  return files.filter(isSecretFile).map((path) => effect('reads_secrets', use.path(path), 'high'));
}

/** `host:path` is elsewhere, and so is a URL. */
function isRemote(word: string): boolean {
  return /^(?:[\w.-]+@)?[\w.-]+:(?!\\)/.test(word) || word.includes('::') || /^\w+:\/\//.test(word);
}

function transfer(use: Use): Effect[] {
  const { options, operands } = readLine(use.args, [
    '-e',
    '--rsh',
    '-P',
    '-i',
    '-F',
    '-o',
    '-l',
    '-c',
    '--exclude',
    '--include',
  ]);
  const to = operands.at(-1) ?? '';
  const from = operands.slice(0, -1);
  const secrets = from.filter(isSecretFile).map((path) => effect('reads_secrets', use.path(path), 'high'));
  const removed = has(options, '--delete') || options.some((one) => one.startsWith('--delete'));
  return [
    ...secrets,
    ...(removed ? [effect('deletes', `what ${from.join(', ') || 'the source'} lacks in ${to}`, 'high')] : []),
    ...(isRemote(to) ? [effect('sends', to)] : from.filter(isRemote).map((one) => effect('connects', one))),
    ...(isRemote(to) || to === '' ? [] : [written(use.path(to), 'writes')]),
  ];
}

function connection(use: Use): Effect[] {
  const { options, operands } = readLine(use.args, ['-p', '-s', '-w', '-e', '-c', '-i', '-X']);
  const runs = has(options, '-e', '-c') || options.some((one) => /exec/.test(one));
  const where = operands.join(':') || 'whoever comes';
  return [effect(runs ? 'opens_shell' : 'connects', where, runs ? 'high' : 'normal')];
}

function shellElsewhere(use: Use): Effect[] {
  const host = readLine(use.args, ['-p', '-i', '-l', '-o', '-F', '-J', '-L', '-R', '-D']).operands[0];
  return host === undefined ? [] : [effect('connects', host)];
}

export const NETWORK_RULES: Rules = [
  ['curl wget http https xh aria2c', http],
  ['scp rsync sftp rclone ftp', transfer],
  ['nc ncat netcat socat telnet', connection],
  ['ssh mosh', shellElsewhere],
];
