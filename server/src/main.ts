/** The command countersign-relay: arguments, output, signals, exit codes. Must not know the rules. */
import { isatty } from 'node:tty';
import { CountersignError } from '@countersign/protocol';
import { Command } from 'commander';
import { pino } from 'pino';
import { backUp, type ComposedRelay, composeRelay, tryPush } from './compose.js';
import {
  loadConfig,
  printableConfig,
  type RelayConfig,
  readInviteFile,
  relayVersion,
  settingOf,
  settingsHelp,
} from './config/index.js';
import { startUpText } from './observability/index.js';

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
/** After a signal; whatever still hangs then is left behind. */
const STOP_TIMEOUT_MS = 9_000;
const STDERR = 2;

interface Flags {
  readonly config?: string;
  readonly logFormat?: string;
  readonly printConfig?: boolean;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): void {
  process.stderr.write(`countersign-relay: ${text}\n`);
}

function load(flags: Flags): RelayConfig {
  const { config, unknownVariables } = loadConfig({
    file: flags.config,
    flags: { logFormat: flags.logFormat },
  });
  for (const variable of unknownVariables) complain(`${variable} is no setting of the relay and is ignored`);
  return config;
}

async function run(flags: Flags): Promise<void> {
  const config = load(flags);
  if (flags.printConfig) return print(printableConfig(config));
  const log = pino.destination({ dest: STDERR, sync: false });
  const relay = await composeRelay(config, { log, logsToTerminal: isatty(STDERR) });
  const stop = stopper(relay, log);
  process.on('SIGTERM', () => stop(EXIT.ok));
  process.on('SIGINT', () => stop(EXIT.ok));
  print(startUpText(relay.facts));
  void relay.failed.then(() => {
    complain('the store has failed; start the relay again');
    stop(EXIT.failed);
  });
}

/** Ends the process; asked a second time, at once. */
function stopper(relay: ComposedRelay, log: { flushSync(): void }): (code: number) => void {
  let stopping = false;
  return (code) => {
    if (stopping) process.exit(EXIT.failed);
    stopping = true;
    setTimeout(() => process.exit(code), STOP_TIMEOUT_MS).unref();
    const end = (exitCode: number) => {
      log.flushSync();
      process.exit(exitCode);
    };
    relay.close().then(
      () => end(code),
      () => end(EXIT.failed),
    );
  };
}

async function makeBackup(flags: Flags, file: string): Promise<void> {
  const { bytes } = await backUp(load(flags), file);
  print(`${file}: ${bytes} bytes`);
}

async function testPush(flags: Flags, { device }: { device: string }): Promise<void> {
  const trial = await tryPush(load(flags), device);
  if ('noToken' in trial) {
    process.exitCode = EXIT.failed;
    complain(`nothing was sent: no token (${trial.noToken})`);
    return;
  }
  const { provider, outcome } = trial;
  const words = [
    outcome.outcome,
    ...('reason' in outcome ? [outcome.reason] : []),
    ...('environment' in outcome && outcome.environment ? [outcome.environment] : []),
    ...('afterMs' in outcome && outcome.afterMs ? [`again in ${Math.ceil(outcome.afterMs / 1_000)} s`] : []),
  ];
  print(`${provider}: ${words.join(', ')}`);
  if (outcome.outcome !== 'accepted') process.exitCode = EXIT.failed;
}

function showInvite(flags: Flags): void {
  const config = load(flags);
  const invite = config.invite ?? readInviteFile(config.store);
  if (config.registration === 'invite' && invite) {
    print(invite);
    return;
  }
  process.exitCode = EXIT.failed;
  complain(
    config.registration === 'invite'
      ? 'there is no invite yet: start the relay once, with the same settings'
      : `with these settings registration is ${config.registration} and no invite is needed; give those the relay runs with`,
  );
}

function fail(error: unknown): void {
  process.exitCode = settingOf(error) === undefined ? EXIT.failed : EXIT.usage;
  // The text of an unknown error may hold anything; its name does not.
  complain(error instanceof CountersignError ? error.message : `failed to start (${nameOf(error)})`);
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'unknown error');
}

function createProgram(): Command {
  const program = new Command('countersign-relay')
    .description('The Countersign relay: forwards what it cannot read.')
    .version(relayVersion())
    .option('--config <file>', 'JSON file with settings; the environment wins over it')
    .option('--log-format <format>', 'json, or pretty for people; default: pretty on a terminal, else json')
    .option('--print-config', 'print the settings in force, secrets left out, and exit')
    .addHelpText(
      'after',
      `\nSettings (default); in the file by name, such as publicHosts:\n${settingsHelp()}\n`,
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage))
    .action((flags: Flags) => run(flags));
  program
    .command('invite')
    .description('print the code a new agent needs')
    .action((_: unknown, command: Command) => showInvite(command.optsWithGlobals<Flags>()));
  program
    .command('backup')
    .description('copy the data file, also while the relay runs; never over a file that exists')
    .argument('<file>', 'the copy to make')
    .action((file: string, _: unknown, command: Command) =>
      makeBackup(command.optsWithGlobals<Flags>(), file),
    );
  program
    .command('push')
    .description('push notifications')
    .command('test')
    .description('send a wake to one device and print what its provider says, also while the relay runs')
    .requiredOption('--device <id>', 'the first hex digits of its key, eight or more, as the log prints them')
    .action((options: { device: string }, command: Command) =>
      testPush(command.optsWithGlobals<Flags>(), options),
    );
  return program;
}

try {
  await createProgram().parseAsync();
} catch (error) {
  fail(error);
}
