/**
 * `describe`: what a person would see of a call, without asking anybody. Must not need a state directory, a relay or a
 * device, and must not run anything.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { ChatMessages, View } from '@countersign/protocol/blocks';
import { type Command, Option } from 'commander';
import type { CallContext, DescribedCall, RiskEstimate } from '../../describe/index.js';
import { EXIT, usageError } from '../exit-codes.js';
import { type Io, Terminal } from '../io.js';

const FORMS = ['plain', 'telegram', 'slack', 'discord', 'matrix', 'json'] as const;
type Form = (typeof FORMS)[number];

export interface DescribeCommandOptions {
  tool: string;
  args: string;
  as: Form;
  schema?: string;
  cwd?: string;
}

/** `finish` gets the exit code. */
export function addDescribe(builder: { program: Command; io: Io; finish: (exitCode: number) => void }): void {
  builder.program
    .command('describe')
    .description('show what a person would see of a call; asks nobody')
    .requiredOption('--tool <name>', 'what would be called')
    .requiredOption('--args <file>', 'its arguments: a file of JSON, JSON itself, or - for standard input')
    .addOption(new Option('--as <form>', 'where it would be shown').choices(FORMS).default('plain'))
    .option('--schema <file>', "the tool's JSON Schema, or its MCP definition")
    .option('--cwd <directory>', 'where the call would run; files in it may be read (default: here)')
    .action(async (options: DescribeCommandOptions) => {
      builder.finish(await describeCommand(options, builder.io));
    });
}

export async function describeCommand(options: DescribeCommandOptions, io: Io): Promise<number> {
  const terminal = new Terminal(io);
  const described = await describeCall(options, io);
  if (options.as === 'json') terminal.json(described);
  else if (options.as === 'plain') terminal.out(await plain(described));
  else showMessages(await messagesOf(options.as, described.view), terminal);
  return EXIT.done;
}

async function describeCall(options: DescribeCommandOptions, io: Io): Promise<DescribedCall> {
  const written = await argumentsText(options.args, io);
  // Loaded when needed: `--help` does not describe anything.
  const { createRegistry, readDescribeContext } = await import('../../describe/index.js');
  const { freezeArguments } = await import('@countersign/protocol/e2e');
  const registry = createRegistry();
  const call = freezeArguments({ argumentsText: written });
  const cwd = resolve(io.cwd, options.cwd ?? '.');
  const around = { cwd, home: homedir(), ...toolOf(options.schema, io) };
  // As for a real approval: the root of a file system is no place a person works in.
  const roots = parse(cwd).root === cwd ? [] : [cwd];
  const context = await readDescribeContext(registry, options.tool, call, { ...around, roots });
  return registry.describeCall(options.tool, call, context);
}

/** A path never begins like JSON, unless it is written `./{…`. */
async function argumentsText(option: string, io: Io): Promise<string> {
  const text =
    option === '-' ? await readAll(io.stdin) : /^\s*[[{"]/.test(option) ? option : read(option, io);
  requireJson(text, '--args');
  return text;
}

function read(path: string, io: Io): string {
  const file = resolve(io.cwd, path.replace(/^@/, ''));
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageError(`${file} cannot be read.`);
  }
}

function requireJson(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`What ${option} names is not JSON.`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function toolOf(
  path: string | undefined,
  io: Io,
): Pick<CallContext, 'schema' | 'title' | 'description' | 'annotations'> {
  if (path === undefined) return {};
  const given = requireJson(read(path, io), '--schema');
  if (!isFields(given)) throw usageError('What --schema names is no JSON object.');
  const schema = [given.inputSchema, given.input_schema, given.parameters].find(isFields);
  // A bare schema has a title and a description of its own, which are not the tool's.
  if (schema === undefined) return { schema: given };
  const { title, description, annotations } = given;
  return {
    schema,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isFields(annotations) ? { annotations } : {}),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function plain({ view, risk }: DescribedCall): Promise<string> {
  const { linearise, renderPlain } = await import('@countersign/protocol/blocks');
  return `${renderPlain(linearise(view))}\n\n${await riskLine(risk)}`;
}

async function riskLine({ level, reasons }: RiskEstimate): Promise<string> {
  const { escapeToLine } = await import('@countersign/protocol/blocks');
  return `Risk: ${level}${reasons.length > 0 ? ` (${reasons.map(escapeToLine).join('; ')})` : ''}`;
}

interface Shown {
  readonly texts: readonly string[];
  readonly offers: ChatMessages<unknown>['offers'];
}

async function messagesOf(form: Exclude<Form, 'plain' | 'json'>, view: View): Promise<Shown> {
  const chat = await import('@countersign/protocol/blocks');
  const shown = <M>({ chunks, offers }: ChatMessages<M>, text: (message: M) => string): Shown => ({
    texts: chunks.map(({ message }) => text(message)),
    offers,
  });
  if (form === 'telegram') return shown(chat.renderChat(chat.telegramHtml, view), ({ text }) => text);
  if (form === 'discord') return shown(chat.renderChat(chat.discord, view), ({ content }) => content);
  if (form === 'matrix')
    return shown(chat.renderChat(chat.matrix, view), ({ formatted_body }) => formatted_body);
  return shown(chat.renderChat(chat.slackBlocks, view), ({ blocks }) => JSON.stringify(blocks, undefined, 2));
}

function showMessages({ texts, offers }: Shown, terminal: Terminal): void {
  texts.forEach((text, at) => {
    if (texts.length > 1) terminal.say(`message ${at + 1} of ${texts.length}`);
    terminal.out(text);
  });
  terminal.say(`offers: ${offers.map((one) => one.replaceAll('_', ' ')).join(', ')}`);
}
