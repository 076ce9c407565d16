/**
 * The corpus of tool calls: one call a line, with what a person must be shown of it. `tool` and `args` are as an agent
 * sends them; `around` is what the host knows (directory, files, the tool's schema). `summary`, `blocks` (row, layout
 * and value type) and `risk` were read by a person and are compared word for word.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { CallContext, DescribedCall, FileContent, Registry } from '@countersign/agent-sdk/describe';
import { rowName } from '@countersign/protocol/blocks';

const FOLDER = new URL('./tool-calls/', import.meta.url);

export interface Expected {
  readonly summary: string;
  /** `File key_value path`: the row's name, its layout, its value type. */
  readonly blocks: readonly string[];
  /** `high: deletes src/old.ts`. */
  readonly risk: string;
}

interface Around extends Omit<CallContext, 'files'> {
  readonly files?: Readonly<Record<string, FileContent>>;
}

export interface CorpusCall extends Partial<Expected> {
  readonly tool: string;
  readonly args: unknown;
  readonly around?: Around;
}

export function families(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace('.jsonl', ''));
}

export function readCalls(family: string): CorpusCall[] {
  const lines = readFileSync(new URL(`${family}.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as CorpusCall);
}

/** Writes a family again, its expectations first, so that reading it is reading what people are shown. */
export function writeCalls(family: string, calls: readonly CorpusCall[]): void {
  const lines = calls.map(({ summary, blocks, risk, tool, args, around }) =>
    // Invented, but a scanner of repositories could take them for real ones.
    JSON.stringify({ summary, risk, blocks, tool, args, around }).replace(/(sk_live|ghp)_/g, '$1\\u005f'),
  );
  writeFileSync(new URL(`${family}.jsonl`, FOLDER), `${lines.join('\n')}\n`);
}

export function describeWith(registry: Registry, { tool, args, around = {} }: CorpusCall): DescribedCall {
  const { files = {}, ...rest } = around;
  return registry.describeCall(tool, { arguments: args }, { ...rest, files: new Map(Object.entries(files)) });
}

export function expectedOf({ view, risk }: DescribedCall): Expected {
  return {
    summary: view.summary,
    blocks: view.blocks.map((one) => `${rowName(one)} ${one.type} ${one.value_type ?? 'string'}`),
    risk: risk.reasons.length === 0 ? risk.level : `${risk.level}: ${risk.reasons.join('; ')}`,
  };
}
