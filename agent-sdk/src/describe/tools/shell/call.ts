/**
 * What a shell tool is asked to run, under the argument names that agents use: one script, an argv, or several
 * commands. Must not look into the script.
 */

import { quoteArgv } from '../../argv.js';
import type { JsonObject } from '../../call.js';
import type { Dialect } from './analyse.js';
import { isShell } from './unwrap.js';
import { programName } from './words.js';

export interface ShellCall {
  /** What the shell reads. */
  readonly script: string;
  /** The shell that reads it, where the call names one: `bash -lc`. */
  readonly runner: string | undefined;
  readonly dialect: Dialect;
  readonly cwd: string | undefined;
  /** Environment as given, names in order. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly user: string | undefined;
  /** Asks to leave the sandbox or to have more rights. */
  readonly escalates: string | undefined;
  /** Where all this was found, an `action` within the arguments perhaps, and the members it was made from. */
  readonly found: JsonObject;
  readonly used: readonly string[];
}

const SCRIPT_NAMES = [
  'command',
  'cmd',
  'commands',
  'CommandLine',
  'command_line',
  'commandLine',
  'shell_command',
  'bash_command',
  'script',
  'argv',
  'cli_command',
  'chars',
];
const ARGUMENT_NAMES = ['args', 'arguments'];
const CWD_NAMES = [
  'cwd',
  'Cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'working_dir',
  'dir_path',
  'directory',
  'dir',
  'cd',
];
const ENV_NAMES = ['env', 'environment', 'environment_variables'];
const ESCALATION: Readonly<Record<string, string>> = {
  dangerouslyDisableSandbox: 'outside the sandbox',
  with_escalated_permissions: 'with more rights than the sandbox gives',
  elevated: 'with elevated rights',
};
const MAX_COMMANDS = 1_000;

/** The call, or undefined when it runs nothing. The members of an `action` object are its arguments then. */
export function shellCall(given: JsonObject, toolName: string): ShellCall | undefined {
  const action = own(given, 'action');
  return (isObject(action) ? shellCallOf(action, toolName) : undefined) ?? shellCallOf(given, toolName);
}

function shellCallOf(args: JsonObject, toolName: string): ShellCall | undefined {
  const name = SCRIPT_NAMES.find((one) => linesOf(own(args, one)) !== undefined);
  const value = name === undefined ? undefined : own(args, name);
  if (name === undefined || value === undefined) return undefined;
  const more = ARGUMENT_NAMES.find((one) => isTexts(own(args, one)));
  const isList = name === 'commands';
  const argv = Array.isArray(value) && !isList ? (value as string[]) : undefined;
  const words = more === undefined ? argv : [...(argv ?? [String(value)]), ...(own(args, more) as string[])];
  const shown = words === undefined ? { script: linesOf(value) ?? '', runner: undefined } : ofWords(words);
  const cwd = textOf(args, CWD_NAMES);
  const env = ENV_NAMES.find((one) => isObject(own(args, one)) || isTexts(own(args, one)));
  const user = textOf(args, ['user']);
  const escalation = escalationOf(args);
  const shell = textOf(args, ['shell']);
  const used = [name, more, cwd?.name, env, user?.name, ...escalation.names, shell?.name].filter(
    (one) => one !== undefined,
  );
  return {
    script: shown.script,
    runner: shown.runner ?? shell?.text,
    dialect: dialectOf(toolName, shown.runner ?? shell?.text),
    cwd: cwd?.text,
    env: env === undefined ? [] : variables(own(args, env)),
    user: user?.text,
    escalates: escalation.words,
    found: args,
    used,
  };
}

/** `["bash", "-lc", "ls"]` is the script `ls` for `bash -lc`. */
function ofWords(words: readonly string[]): { script: string; runner: string | undefined } {
  const [program = '', flag = '', script, ...rest] = words;
  const name = programName(program);
  const starts =
    (isShell(name) && /^-[a-z]*c$/.test(flag)) ||
    (/^(?:pwsh|powershell)$/.test(name) && /^-c(?:ommand)?$/i.test(flag)) ||
    (name === 'cmd' && /^\/[ck]$/i.test(flag));
  if (!starts || script === undefined) return { script: quoteArgv(words), runner: undefined };
  return name === 'cmd' || rest.length === 0
    ? { script: [script, ...rest].join(' '), runner: `${program} ${flag}` }
    : { script: quoteArgv(words), runner: undefined };
}

function dialectOf(toolName: string, runner: string | undefined): Dialect {
  const said = `${toolName} ${runner ?? ''}`.toLowerCase();
  if (/pwsh|powershell/.test(said)) return 'powershell';
  return /(?:^|[^a-z])cmd(?:\.exe)?(?:$|[^a-z])/.test(runner?.toLowerCase() ?? '') ? 'cmd' : 'posix';
}

/** `{"A": "b"}`, `["A=b"]`, `[{"name": "A", "value": "b"}]`. */
function variables(env: unknown): { name: string; value: string }[] {
  const pairs = Array.isArray(env)
    ? env.map((one) => {
        const [name = '', ...value] = String(one).split('=');
        return [name, value.join('=')] as const;
      })
    : Object.entries(env as JsonObject);
  return pairs.slice(0, MAX_COMMANDS).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}

function escalationOf(args: JsonObject): { words: string | undefined; names: string[] } {
  const names = Object.keys(ESCALATION).filter((one) => own(args, one) === true);
  const required = own(args, 'sandbox_permissions') === 'require_escalated';
  return {
    words: required ? 'outside the sandbox' : names[0] === undefined ? undefined : ESCALATION[names[0]],
    names: [...names, ...(required ? ['sandbox_permissions'] : [])],
  };
}

function linesOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return isTexts(value) ? value.join('\n') : undefined;
}

function isTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_COMMANDS &&
    value.every((one) => typeof one === 'string')
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(args: JsonObject, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function textOf(args: JsonObject, names: readonly string[]): { name: string; text: string } | undefined {
  const name = names.find((one) => typeof own(args, one) === 'string' && own(args, one) !== '');
  return name === undefined ? undefined : { name, text: String(own(args, name)) };
}
