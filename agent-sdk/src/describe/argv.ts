/** Commands as one text a person can read and a shell would read the same way. Must not run or parse anything. */
import type { JsonObject } from './call.js';

/** Names under which tools take a command, a string or an argv. */
export const COMMAND_NAMES: readonly string[] = [
  'command',
  'cmd',
  'argv',
  'command_line',
  'commandLine',
  'shell_command',
  'script',
];

/** Names under which tools take what follows a command. */
const ARGUMENT_NAMES: readonly string[] = ['args', 'arguments', 'argv'];

const NEEDS_NO_QUOTES = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Whether a value is a list of strings that are the words of a command. */
export function isArgv(name: string, value: unknown): value is readonly string[] {
  if (!COMMAND_NAMES.includes(name) && !ARGUMENT_NAMES.includes(name)) return false;
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}

/** The words with POSIX quotes where a shell would otherwise see something else. */
export function quoteArgv(words: readonly string[]): string {
  return words
    .map((word) => (NEEDS_NO_QUOTES.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** The command a call runs, with its arguments, and the names it was made from; undefined when it runs none. */
export function commandOf(args: JsonObject): { text: string; names: readonly string[] } | undefined {
  const name = COMMAND_NAMES.find(
    (one) => Object.hasOwn(args, one) && commandText(one, args[one]) !== undefined,
  );
  const text = name === undefined ? undefined : commandText(name, args[name]);
  if (name === undefined || text === undefined) return undefined;
  const rest = ARGUMENT_NAMES.find(
    (one) => one !== name && Object.hasOwn(args, one) && isArgv(one, args[one]),
  );
  if (rest === undefined) return { text, names: [name] };
  return { text: `${text} ${quoteArgv(args[rest] as readonly string[])}`, names: [name, rest] };
}

function commandText(name: string, value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return isArgv(name, value) ? quoteArgv(value) : undefined;
}
