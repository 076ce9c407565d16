/**
 * The generic view (03 §4): one row per argument in the caller's order, and a summary made of them. Good for every
 * tool nobody wrote a describer for. Must not know tool names.
 */
import { CONTENT } from '@countersign/protocol';
import {
  type Block,
  collectJsonSecrets,
  escapeToLine,
  findJsonSecrets,
  findSecrets,
  isSecretMember,
  jsonText,
  MASK,
  maskIn,
  shorten,
  summaryLine,
  toWellFormed,
  type View,
} from '@countersign/protocol/blocks';
import { commandOf } from './argv.js';
import { type CallArguments, type JsonObject, namedArguments } from './call.js';
import { inferValue } from './infer.js';
import { valueRow } from './rows.js';

const ARGUMENTS = 'Arguments';
/** A tool's name and one value in a summary: the rest must have room beside it. */
const TOOL_LIMIT = { maxCodePoints: 48, maxBytes: 192 };
const VALUE_LIMIT = { maxCodePoints: 40, maxBytes: 160 };
/** Values in a summary are looked at no further than this. */
const MAX_SUMMARISED_UNITS = 4 * CONTENT.maxSummaryBytes;
/** Each takes three characters and a comma. */
const MAX_SUMMARISED_PAIRS = CONTENT.maxSummaryCodePoints / 4;

/** The view of any call; fits to be sent. Never throws. */
export function genericView(toolName: string, call: CallArguments): View {
  return { v: CONTENT.viewVersion, summary: genericSummary(toolName, call), blocks: genericBlocks(call) };
}

/** The rows of any call, at least one. Never throws. */
export function genericBlocks(call: CallArguments): Block[] {
  if (call.argumentsText !== undefined) {
    // Verbatim: whatever could not be frozen must be read as it was written.
    return [valueRow(ARGUMENTS, { value: call.argumentsText, value_type: 'code', lang: 'json' })];
  }
  const named = namedArguments(call);
  if (named === undefined) return [valueRow(ARGUMENTS, inferValue('', call.arguments ?? null, {}))];
  const rows = Object.entries(named).map(([name, value]) => valueRow(name, inferValue(name, value, named)));
  return rows.length > 0 ? rows : [valueRow(ARGUMENTS, { value: 'none', value_type: 'string' })];
}

/**
 * One line: the tool, then the command it runs with the number of other arguments, else its arguments. Secrets are
 * masked. Never empty, never throws.
 */
export function genericSummary(toolName: string, call: CallArguments): string {
  const tool = shorten(escapeToLine(toWellFormed(toolName)), TOOL_LIMIT) || 'tool';
  const text = call.argumentsText;
  const named = namedArguments(call);
  if (text !== undefined) {
    const secrets = [...findSecrets(text), ...findJsonSecrets(text)];
    return summaryLine(`${tool}: ${head(maskIn(text, secrets))}`);
  }
  if (named === undefined)
    return summaryLine(
      `${tool}: ${pairValue('', call.arguments ?? null, collectJsonSecrets(call.arguments))}`,
    );
  return maskedSummary(tool, named, collectJsonSecrets(named));
}

function maskedSummary(tool: string, named: JsonObject, secrets: readonly string[]): string {
  const command = commandOf(named);
  if (command === undefined) {
    const pairs = Object.entries(named)
      .slice(0, MAX_SUMMARISED_PAIRS)
      .map(([name, value]) => pairText(name, value, secrets));
    return summaryLine(pairs.length === 0 ? tool : `${tool}: ${pairs.join(', ')}`);
  }
  const others = Object.keys(named).length - command.names.length;
  const line = maskIn(command.text, secrets);
  return summaryLine(`${tool}: ${head(line)}${others > 0 ? ` (+${others} more)` : ''}`);
}

function pairText(name: string, value: unknown, secrets: readonly string[]): string {
  return `${shorten(escapeToLine(head(name)), VALUE_LIMIT)}=${pairValue(name, value, secrets)}`;
}

function pairValue(name: string, value: unknown, secrets: readonly string[]): string {
  if (isSecretMember(name, value)) return MASK;
  const text = maskIn(typeof value === 'string' ? value : jsonText(value), secrets);
  return shorten(escapeToLine(head(text)), VALUE_LIMIT);
}

function head(text: string): string {
  return toWellFormed(text.slice(0, MAX_SUMMARISED_UNITS));
}
