/** Tools that install, remove, publish packages: as the command line they stand for, judged by the rules for commands. */

import { quoteArgv } from '../../argv.js';
import { type DescriberEntry, middle } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import {
  count,
  entries,
  firstOf,
  high,
  listed,
  normal,
  type Reason,
  shown,
  type Tell,
  type Told,
} from '../told.js';
import { lookalike } from '../web/letters.js';

const PACKAGES = [
  ...listOf('packages package package_name package_names package_list packageList dependencies deps'),
  ...listOf('modules module libraries library crate crates gem formula names name app extension_id id'),
];
const INSTALLS = [
  ...listOf('vscode_install_extension install_vscode_extension'),
  ...listOf('install_package install_packages add_dependency add_dependencies install_dependencies'),
  ...listOf('install_python_packages npm_install npm_add yarn_add pnpm_add pnpm_install bun_add'),
  ...listOf('pip_install uv_add uv_pip_install poetry_add conda_install apt_install apt_get_install'),
  ...listOf('brew_install cargo_add cargo_install go_get gem_install composer_require dnf_install'),
  ...listOf('yum_install apk_add pacman_install winget_install choco_install install_python_package'),
  ...listOf('install_npm_package install_extension install_library install_requirements'),
  ...listOf('package_install nuget_install dotnet_add_package pip_install_packages install_module'),
  ...listOf('install_pip_package install pipx_install'),
];
const REMOVES = [
  ...listOf('uninstall_package remove_package npm_uninstall pip_uninstall remove_dependency'),
  ...listOf('yarn_remove apt_remove brew_uninstall cargo_remove uninstall_packages remove_packages'),
  ...listOf('uninstall'),
];
const PUBLISHES = [
  'npm_publish',
  'publish_package',
  'pypi_publish',
  'twine_upload',
  'cargo_publish',
  'gem_push',
  'docker_push',
  'publish_npm_package',
];
const MANAGER =
  /^(npm|yarn|pnpm|bun|pip|pipx|uv|poetry|conda|apt|brew|cargo|go|gem|composer|dnf|yum|apk|pacman|winget|choco|nuget|dotnet|twine|docker)/;
/** Not from a registry: code of whoever holds the address. */
const FROM_ADDRESS =
  /^(?:git\+|git:|https?:|ssh:|file:|github:|gitlab:|\.{1,2}\/|\/)|@(?:git\+|https?:|github:)|\s@\s+https?:/;

function toldPackages(verb: 'Install' | 'Remove' | 'Publish'): Tell {
  return (given, { toolName }) => {
    const names = namesIn(given);
    const file = given.text('requirements_file', 'requirements', 'manifest', 'file', 'package_json');
    const manager =
      given.text('manager', 'package_manager', 'installer', 'tool') ?? MANAGER.exec(ownName(toolName))?.[1];
    const place = given.text(
      'cwd',
      'path',
      'directory',
      'project_path',
      'working_directory',
      'resource_path',
      'env',
      'environment',
    );
    const known =
      names.length > 0 ||
      file !== undefined ||
      (manager !== undefined && verb !== 'Remove' && given.used.length > 0);
    if (!known && !(manager !== undefined && Object.keys(given.args).length === 0)) return undefined;
    return told(verb, { names, file, manager, place }, given);
  };
}

/** `["a", "b@2"]`, `"a b"`, `[{name, version}]` is left to the generic rows. */
function namesIn(given: Given): readonly string[] {
  const list = given.words(...PACKAGES);
  const version = list.length === 1 ? given.word('version', 'package_version', 'version_spec') : undefined;
  return list.length === 1 && version !== undefined
    ? [`${list[0]}@${version}`]
    : list.flatMap((one) => one.trim().split(/[\s,]+(?![\s<>=~!^])/));
}

interface Packages {
  readonly names: readonly string[];
  readonly file: string | undefined;
  readonly manager: string | undefined;
  readonly place: string | undefined;
}

function told(
  verb: 'Install' | 'Remove' | 'Publish',
  { names, file, manager, place }: Packages,
  given: Given,
): Told {
  const everywhere = given.flag('global', 'is_global', 'system', 'sudo', 'break_system_packages');
  const dev = given.flag('dev', 'is_dev', 'save_dev', 'dev_dependency');
  const index = given.text('index_url', 'registry', 'extra_index_url', 'source', 'repository_url');
  const what =
    names.length > 0 ? firstOf(names) : [file === undefined ? 'what the project lists' : middle(file)];
  return {
    summary: [
      `${verb} `,
      ...what,
      ...(manager === undefined ? [] : [verb === 'Publish' ? ' by ' : ' with ', middle(manager)]),
      ...(everywhere ? [' for the whole machine'] : []),
      ...(index === undefined ? [] : [' from ', middle(index)]),
    ],
    blocks: [
      ...listed(names.length === 1 ? 'Package' : count(names.length, 'package'), names),
      ...[
        ...shown('Listed in', file, 'path'),
        ...shown('Manager', manager),
        ...shown('Registry', index, 'url'),
      ],
      ...[
        ...shown('Where', place, 'path'),
        ...(everywhere ? shown('For', 'the whole machine') : []),
        ...(dev ? shown('For', 'development only') : []),
      ],
      ...extraArguments(given),
    ],
    reasons: reasonsOf(verb, names, index, everywhere),
  };
}

function extraArguments(given: Given) {
  const words = given.words('args', 'flags', 'extra_args', 'options');
  return words.length === 0 ? [] : [block('More words', quoteArgv(words), 'command')];
}

function reasonsOf(
  verb: 'Install' | 'Remove' | 'Publish',
  names: readonly string[],
  index: string | undefined,
  everywhere: boolean,
): Reason[] {
  if (verb === 'Publish') return [high('publishes to everybody')];
  if (verb === 'Remove') return [normal(`removes ${names.slice(0, 3).join(', ')}`)];
  const odd = names.slice(0, 100).flatMap((name) => {
    const like = lookalike(name);
    return like === undefined ? [] : [high(`${name} looks like ${like} but is another name`)];
  });
  const addressed = names.filter((name) => FROM_ADDRESS.test(name.slice(0, 500)));
  return [
    ...odd,
    ...(addressed.length > 0
      ? [high(`code from an address, not from a registry: ${addressed.slice(0, 2).join(', ')}`)]
      : []),
    ...(index === undefined ? [] : [high(`takes packages from ${index}`)]),
    ...(everywhere ? [normal('for the whole machine')] : []),
    normal('packages may run code when they are installed'),
  ];
}

export const packageTools: readonly DescriberEntry[] = [
  ...entries(INSTALLS, toldPackages('Install')),
  ...entries(REMOVES, toldPackages('Remove')),
  ...entries(PUBLISHES, toldPackages('Publish')),
];
