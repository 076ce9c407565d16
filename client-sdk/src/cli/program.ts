/** The command line of countersign-phone: names, options, help. Must not do anything itself. */
import { escapeInvisible } from '@countersign/protocol/blocks';
import { Command, InvalidArgumentError } from 'commander';
import { SDK_VERSION } from '../client/device-info.js';
import { answerCommand, approveCommand, rejectCommand } from './commands/answer.js';
import { bypassesCommand, endBypassCommand, listCommand, showCommand } from './commands/list.js';
import { pairCommand, pairingsCommand, unpairCommand } from './commands/pair.js';
import { watchCommand } from './commands/watch.js';
import { EXIT_HELP } from './exit-codes.js';
import { type Io, Output } from './io.js';

type Run = (options: never, io: Io, output: Output) => Promise<number>;

/** The exit code of a command goes to `done`. */
export function buildProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('countersign-phone')
    .description('A device in the terminal: decides what a paired agent may do.')
    .version(SDK_VERSION)
    .option(
      '--dir <directory>',
      'state (default: $COUNTERSIGN_PHONE_DIR, else $XDG_STATE_HOME/countersign-phone)',
    )
    .option('--json', 'one JSON object per line, each with "v":1')
    .option('--ca <file>', "PEM certificate authorities to trust beside the system's")
    .option('--verbose', 'events of the connection on stderr')
    .addHelpText('after', EXIT_HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      // It repeats what was typed, or what a script passed on.
      writeErr: (text) => io.err(escapeInvisible(text.trimEnd())),
    });
  const action = (run: (args: string[], ...rest: Parameters<Run>) => Promise<number>) =>
    async function act(this: Command, ...all: unknown[]) {
      const options = this.optsWithGlobals() as never;
      const args = all.slice(0, -2) as string[];
      const output = new Output(io, (options as { json?: boolean }).json === true);
      done(await run(args, options, io, output));
    };

  program
    .command('pair <link>')
    .description('pair with an agent; prints the code to type there')
    .option('--name <name>', 'how this device is called at the agent (default: the host name)')
    .option('--wait <seconds>', 'wait until the code was confirmed', seconds)
    .action(action(([link], ...rest) => pairCommand(link as string, ...rest)));
  program
    .command('pairings')
    .description('the agents this device is paired with')
    .action(action((_, ...rest) => pairingsCommand(...rest)));
  program
    .command('unpair <pairing>')
    .description('leave an agent (its id, or the beginning of it) and forget the keys')
    .action(action(([id], ...rest) => unpairCommand(id as string, ...rest)));
  addInboxCommands(program, action);
  addAnswerCommands(program, action);
  return program;
}

type Action = (
  run: (args: string[], ...rest: Parameters<Run>) => Promise<number>,
) => (this: Command, ...all: unknown[]) => Promise<void>;

function addInboxCommands(program: Command, action: Action): void {
  waiting(program.command('list').description('what is pending, with all that is shown of it'))
    .option('--brief', 'one line each')
    .option('--raw', 'the arguments as JSON too')
    .action(action((_, ...rest) => listCommand(...rest)));
  waiting(program.command('show <id>').description('one item, whole'))
    .option('--raw', 'the arguments as JSON too')
    .action(action(([id], ...rest) => showCommand(id as string, ...rest)));
  program
    .command('watch')
    .description('stay connected, show what comes, answer by keys')
    .option('--auto <decision>', 'answer every approval by itself: "approve" or "reject"')
    .option('--reason <text>', 'with --auto reject')
    .option('--answer <text>', 'with --auto: answer clarifications so')
    .option('--delay <seconds>', 'with --auto: wait before each answer', seconds, 0)
    .option('--count <n>', 'with --auto: end after so many answers', whole)
    .option('--timeout <seconds>', "how long to wait for the agent's confirmation", seconds, 10)
    .action(action((_, ...rest) => watchCommand(...rest)));
  waiting(program.command('bypasses').description('standing approvals given earlier')).action(
    action((_, ...rest) => bypassesCommand(...rest)),
  );
  waiting(program.command('end-bypass <id>').description('end a standing approval')).action(
    action(([id], ...rest) => endBypassCommand(id as string, ...rest)),
  );
}

function addAnswerCommands(program: Command, action: Action): void {
  answering(program.command('approve <id>').description('approve an item (its id, or an end of it)'))
    .option('--session', 'and every such call of this session')
    .option('--for <seconds>', 'and every such call for so long', whole)
    .option('--rule <id>', 'and by one of the rules offered')
    .option('--arguments <json>', 'run it with these arguments instead')
    .action(action(([id], ...rest) => approveCommand(id as string, ...rest)));
  answering(program.command('reject <id>').description('reject an item'))
    .option('--reason <text>', 'told to the agent')
    .option('--stop', 'and stop the run')
    .option('--respond', "give --reason to the agent as the call's result")
    .action(action(([id], ...rest) => rejectCommand(id as string, ...rest)));
  answering(program.command('answer <id> [text]').description('answer a question'))
    .option('--stdin', 'read the answer from standard input (a secret one always)')
    .option('--content <json>', 'the members of a form')
    .option('--decline', 'decline to answer')
    .option('--cancel', 'cancel')
    .action(action(([id, text], ...rest) => answerCommand(id as string, text, ...rest)));
}

function waiting(command: Command): Command {
  return command.option('--wait <seconds>', 'how long to wait for the agents', seconds, 5);
}

function answering(command: Command): Command {
  return waiting(command).option(
    '--timeout <seconds>',
    "how long to wait for the agent's confirmation",
    seconds,
    10,
  );
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0 || value > MAX_SECONDS) {
    throw new InvalidArgumentError(`must be a number of seconds from 0 to ${MAX_SECONDS}.`);
  }
  return value;
}

function whole(text: string): number {
  const value = seconds(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('must be a whole number.');
  return value;
}

/** What a timer takes, roughly: 24 days. */
const MAX_SECONDS = 2_000_000;
