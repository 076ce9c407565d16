/** Package managers. Must not know other programs. */
import { listOf } from '../../../list-of.js';
import { codeReaches } from '../../code-reaches.js';
import { type Effect, effect } from '../effect.js';
import { readLine, valuesOf } from '../words.js';
import type { Rules, Use } from './use.js';

const INSTALL =
  /^(?:install|i|add|ci|get|in|upgrade|update|up|dist-upgrade|full-upgrade|-S\w*|-U|tap|sync|require|localinstall|reinstall)$/;
const REMOVE = /^(?:uninstall|remove|rm|un|purge|autoremove|-R\w*|erase|prune)$/;
const PUBLISH = /^(?:publish|unpublish|upload|push|deprecate|yank)$/;
const RUN = /^(?:exec|dlx|x|create)$/;
const WITH_VALUE = [
  ...listOf('-r --requirement -c --constraint -i --index-url --extra-index-url --registry --prefix -t'),
  ...listOf('--target -w --workspace --filter -C --dir --version --features -p --package --tag'),
];

/** `pip install`, `npm i`, `apt-get install`, `cargo add`, `brew tap` … */
function manager(use: Use): Effect[] {
  const { operands } = readLine(use.args, WITH_VALUE);
  const [verb = '', ...names] = operands.length > 0 ? operands : [use.args[0] ?? ''];
  const pacman = use.args.find((word) => /^-[SRU]/.test(word));
  const chosen = use.program === 'pacman' || use.program === 'yay' ? (pacman ?? '') : verb;
  const what = (chosen === pacman && pacman !== undefined ? operands : names).join(', ');
  if (PUBLISH.test(chosen))
    return [effect('publishes', `${use.program}${what === '' ? '' : ` (${what})`}`, 'high')];
  if (REMOVE.test(chosen)) return [effect('deletes', `packages ${what || 'nobody needs'}`)];
  if (INSTALL.test(chosen))
    return installed(use, what || requirements(use.args) || `packages (${use.program})`);
  return RUN.test(chosen) && names.length > 0 ? [effect('installs', names[0] ?? '')] : [];
}

/** Another source than the public one is told: it decides what runs here. */
function installed(use: Use, what: string): Effect[] {
  const source = valuesOf(use.args, '-i', '--index-url', '--extra-index-url', '--registry', '-f').at(-1);
  const addresses = source !== undefined && /^\w+:\/\//.test(source) ? ` from ${source}` : '';
  const strange = addresses !== '' || /(?:^|[, ])(?:git\+|https?:|file:)/.test(what);
  return [effect('installs', `${what}${addresses}`, strange ? 'high' : 'normal')];
}

function requirements(args: readonly string[]): string {
  const at = args.findIndex((word) => word === '-r' || word === '--requirement');
  return at === -1 ? '' : `what ${args[at + 1] ?? '?'} lists`;
}

/** `npx x`, `uvx x`: fetched and run at once. */
function runner(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-p', '--package', '--from', '--with', '--python']);
  return operands.length === 0 ? [] : [effect('installs', `${operands[0]} (and runs it)`)];
}

function twine(use: Use): Effect[] {
  return use.args[0] === 'upload' ? [effect('publishes', 'PyPI', 'high')] : [];
}

/** `python -m pip …` is pip. */
function python(use: Use): Effect[] {
  const at = use.args.indexOf('-m');
  if (at !== -1) return use.command(use.args.slice(at + 1));
  return codeOf(use);
}

function inlineCode(use: Use): Effect[] {
  return codeOf(use);
}

/** Code on the line, and what of it is grave as far as its words tell. */
function codeOf(use: Use): Effect[] {
  const at = use.args.findIndex((word) => /^(?:-e|-p|-pe|-r|-c|--eval|--print|eval)$/.test(word));
  if (at === -1) return [];
  const reaches = codeReaches(use.args[at + 1] ?? '');
  return [
    reaches.length === 0
      ? effect('runs_code', use.program)
      : effect('runs_code', `${use.program}, which ${reaches.join(', ')}`, 'high'),
  ];
}

export const PACKAGE_RULES: Rules = [
  [
    'npm pnpm yarn bun pip pip3 pipx uv poetry pdm conda mamba cargo gem bundle composer go brew port',
    manager,
  ],
  [
    'apt apt-get aptitude dnf yum zypper apk pacman yay snap flatpak winget choco scoop nix-env dpkg rpm',
    manager,
  ],
  ['npx bunx pnpx uvx', runner],
  ['twine', twine],
  ['python python2 python3 py', python],
  ['node nodejs deno ruby perl php lua osascript', inlineCode],
];
