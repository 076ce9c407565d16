/** The command line of `countersign`: names, options, help. Must not do anything itself. */
import { CONTENT } from '@countersign/protocol';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type AskCommandOptions, askCommand } from './commands/ask.js';
import { Context } from './commands/context.js';
import type { DaemonCommandOptions } from './commands/daemon.js';
import { addDescribe } from './commands/describe.js';
import { devicesCommand, renameCommand, revokeCommand } from './commands/devices.js';
import type { PairCommandOptions } from './commands/pair.js';
import { type RunCommandOptions, runCommand } from './commands/run.js';
import { statusCommand } from './commands/status.js';
import { addVerifyApp } from './commands/verify-app.js';
import { parseDuration } from './duration.js';
import { EXIT_HELP } from './exit-codes.js';
import type { Io } from './io.js';
import type { SettingOptions } from './settings.js';

const DIRECTORY_HELP = `
State lives in --dir, else COUNTERSIGN_DIR, else $XDG_STATE_HOME/countersign (~/.local/state/countersign).
The relay is --relay, else COUNTERSIGN_RELAY_URL, else what was saved there, else ws://127.0.0.1:8787.
`;

/** `finish` gets the exit code of the command that ran. */
export function createProgram(io: Io, version: string, finish: (exitCode: number) => void): Command {
  const program = new Command('countersign')
    .description('Ask a human before you act: pairs devices, asks for approvals, runs what was approved.')
    .version(version)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_HELP + DIRECTORY_HELP);
  const builder: Builder = { program, io, finish };
  addSetUp(builder);
  addAsking(builder);
  addDescribe(builder);
  addDevices(builder);
  addVerifyApp(builder);
  addServing(builder);
  return program;
}

interface Builder {
  readonly program: Command;
  readonly io: Io;
  readonly finish: (exitCode: number) => void;
}

type Action<O> = (options: O, context: Context, args: string[]) => Promise<number>;

/** A command with the options every command has. */
function add<O>(
  { program, io, finish }: Builder,
  usage: string,
  description: string,
  action: Action<O>,
): Command {
  return program
    .command(usage)
    .description(description)
    .option('--dir <directory>', 'state directory')
    .option('--relay <url>', 'the relay, such as wss://relay.example; saved in the directory')
    .action(async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const options = command.opts<O & SettingOptions>();
      finish(await action(options, new Context(io, options), command.args));
    });
}

function addSettings(command: Command): Command {
  return command
    .option('--invite <code>', 'right to register at the relay; "countersign relay invite" prints it')
    .option('--name <text>', 'how devices name this agent')
    .option('--app-url <url>', 'where pairing links point')
    .option('--ca <file>', "certificate authorities (PEM) beside the system's");
}

function addSetUp(builder: Builder): void {
  const pair = add<PairCommandOptions>(
    builder,
    'pair',
    'let a device decide: shows a link, takes its code',
    // Loaded when needed: with the cryptography it takes most of a start.
    async (options, context) => (await import('./commands/pair.js')).pairCommand(options, context),
  );
  addSettings(pair)
    .addOption(new Option('--qr <form>', 'json: what original apps scan').choices(['auto', 'json', 'none']))
    .option('--png <file>', 'write the code as an image')
    .option('--ttl <time>', 'how long the link is good; at most 10m', duration)
    .option('--yes', 'accept the first device without comparing a code; it is listed as unverified');
  add<{ json?: boolean }>(builder, 'status', 'relay, clock, devices, what is waiting', statusCommand).option(
    '--json',
    'print it for programs',
  );
}

function addItemOptions(command: Command): Command {
  return command
    .option('--summary <text>', 'one line that says what is about to happen')
    .addOption(new Option('--risk <level>', 'how much care it needs').choices(['low', 'normal', 'high']))
    .option('--expires <time>', '5s to 6d; default 24h, 1h for high risk', expiry)
    .option('--session <id>', 'the run of the agent this belongs to')
    .option('--wait', 'without a device, wait until one is paired');
}

function addAsking(builder: Builder): void {
  const ask = add<AskCommandOptions>(
    builder,
    'ask',
    'ask for an approval and wait for the decision',
    askCommand,
  );
  addItemOptions(
    ask
      .requiredOption('--tool <name>', 'what is about to be called')
      .option('--args <json>', 'its arguments: JSON, @file, or - for standard input')
      .option('--detail <text>', 'more to read'),
  )
    .option('--json', 'print the whole outcome for programs')
    .addHelpText('after', EXIT_HELP);
  const run = add<RunCommandOptions>(
    builder,
    'run',
    'ask for a command, then run it if approved',
    (options, context, args) => runCommand(args, options, context),
  );
  addItemOptions(run.argument('<command...>', 'after --: the program and its arguments; no shell'))
    .option('--tool <name>', 'name under which it is asked for', 'run_command')
    .passThroughOptions()
    .addHelpText(
      'after',
      `${EXIT_HELP}\nOf an approved command its own exit code, or 128 plus the signal that ended it.\n`,
    );
}

function addDevices(builder: Builder): void {
  add<{ json?: boolean }>(builder, 'devices', 'list paired devices', devicesCommand).option(
    '--json',
    'print them for programs',
  );
  add(builder, 'rename', 'name a device', (_, context, [device = '', name = '']) =>
    renameCommand(device, name, context),
  )
    .argument('<device>', 'its name, or the beginning of its id')
    .argument('<name>', 'the new name');
  add<{ yes?: boolean }>(
    builder,
    'revoke',
    'take the right to decide from a device',
    (options, context, [device = '']) => revokeCommand(device, options, context),
  )
    .argument('<device>', 'its name, or the beginning of its id')
    .option('--yes', 'do not ask');
}

function addServing(builder: Builder): void {
  const daemon = add<DaemonCommandOptions>(
    builder,
    'daemon',
    'serve the directory to other commands (started by them when needed)',
    async (options, context) => (await import('./commands/daemon.js')).daemonCommand(options, context),
  );
  addSettings(daemon)
    .option('--idle <time>', 'end after so long without use, or never; default 10m', idleTime)
    .option('--stop', 'end the daemon of the directory')
    .addOption(new Option('--announce').hideHelp());
  // Started before the command line is read, because every argument is theirs; here for the help.
  builder.program.command('relay').description('run a relay: starts countersign-relay');
  builder.program.command('phone').description('a device in this terminal: starts countersign-phone');
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Write it like 90s, 10m, 24h or 6d.');
  return ms;
}

function expiry(text: string): number {
  const ms = duration(text);
  if (ms >= CONTENT.minExpiresInMs && ms <= CONTENT.maxExpiresInMs) return ms;
  throw new InvalidArgumentError('It is 5s at least and 6d at most.');
}

function idleTime(text: string): number {
  return text === 'never' ? Number.POSITIVE_INFINITY : duration(text);
}
