/**
 * Programs from outside npm that some tests run, as `.ci/packages` lists them: which are here, which are missing.
 * Run by itself it prints the packages of the missing ones. Uses nothing but Node.
 */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { argv, env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where Debian puts servers, which is not on everybody's PATH. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Each line of the list, comments left out. */
export function listedTools() {
  return readFileSync(join(root, '.ci/packages'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [command = '', aptPackage = '', flag = '', tests = ''] = line.split(/\s+/);
      return { command, aptPackage, flag, tests };
    });
}

/** `promtool` → `COUNTERSIGN_PROMTOOL`. */
export function toolVariable(command) {
  return `COUNTERSIGN_${command.replaceAll('-', '_').toUpperCase()}`;
}

/** The path of a program: its variable, else PATH; undefined when it is not here. */
export function findTool(command) {
  const named = env[toolVariable(command)];
  if (named) return isProgram(named) ? named : undefined;
  const folders = [...(env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => join(folder, command)).find(isProgram);
}

/**
 * For `npm test`: the flags of the list are taken out of the arguments, `left` are the folders they leave out, and
 * `missing` are programs that the other tests need.
 */
export function planTools(args) {
  const tools = listedTools();
  const flags = new Set(tools.map(({ flag }) => flag).filter((flag) => args.includes(flag)));
  const left = [...new Set(tools.filter(({ flag }) => flags.has(flag)).map(({ tests }) => tests))];
  const passed = args.filter((arg) => !flags.has(arg));
  const needed = tools.filter(({ flag, tests }) => !flags.has(flag) && isAsked(tests, passed));
  return {
    args: passed,
    left,
    missing: needed.filter(({ command }) => findTool(command) === undefined),
  };
}

/** What to say about them, the line that installs them last but one. */
export function missingText(missing) {
  const packages = [...new Set(missing.map(({ aptPackage }) => aptPackage))].join(' ');
  const flags = [...new Set(missing.map(({ flag }) => flag))].join(' ');
  return [
    ...missing.map(({ command, tests }) => `${command} is not here, and ${tests} needs it.`),
    'On Debian and Ubuntu this installs what is missing:',
    `  sudo apt-get install -y --no-install-recommends ${packages}`,
    `A program elsewhere is named by a variable, such as ${missing.map(({ command }) => toolVariable(command))[0]}.`,
    `Without these tests: npm test -- ${flags}`,
  ].join('\n');
}

/** Whether a run with these arguments reaches the folder: no path asks for everything. */
function isAsked(tests, args) {
  if (!existsSync(join(root, tests))) return false;
  const paths = args.filter((arg) => !arg.startsWith('-')).map((path) => path.replace(/^\.\//, ''));
  return paths.length === 0 || paths.some((path) => tests.startsWith(path) || path.startsWith(tests));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const missing = listedTools().filter(({ command }) => findTool(command) === undefined);
  console.log([...new Set(missing.map(({ aptPackage }) => aptPackage))].join(' '));
}
