/**
 * How fast calls are put into words: the whole corpus again and again, beside `JSON.stringify` of the same calls in the
 * same run; and one file of 1 MB with twenty edits, beside the diff library alone. Rates are per second of processor
 * time, medians of alternating runs. Prints one JSON object.
 */
import { loadavg } from 'node:os';
import { createRegistry } from '@countersign/agent-sdk/describe';
import { diffLines, structuredPatch } from 'diff';
import { type CorpusCall, describeWith, families, readCalls } from '../corpus/corpus.js';
import { alternate, machine, median, processorMs, ratePerSecond } from './support/measure.js';

const ROUNDS = { warmUps: 6, runs: 15 };
const MIN_RUN_MS = 400;
const FILE_BYTES = 1024 * 1024;
const EDITS = 20;

const registry = createRegistry();
const calls = families().flatMap(readCalls);

function corpus() {
  const describeAll = () => {
    for (const call of calls) describeWith(registry, call);
  };
  const stringifyAll = () => {
    for (const { tool, args } of calls) JSON.stringify([tool, args]);
  };
  const [described, stringified] = alternate(ROUNDS, [
    () => ratePerSecond(describeAll, calls.length, MIN_RUN_MS),
    () => ratePerSecond(stringifyAll, calls.length, MIN_RUN_MS),
  ]);
  return {
    calls: calls.length,
    describesPerSecond: Math.round(median(described)),
    processorMicrosecondsPerDescribe: Number((1e6 / median(described)).toFixed(1)),
    fastestRunPerSecond: Math.round(Math.max(...described)),
    jsonStringifyPerSecond: Math.round(median(stringified)),
    ratio: Number((median(stringified) / median(described)).toFixed(1)),
  };
}

function largeFile() {
  const before = lines(FILE_BYTES);
  const after = edited(before, EDITS);
  const call: CorpusCall = {
    tool: 'write_file',
    args: { path: 'large.txt', content: after },
    around: { cwd: '/home/me/code', files: { 'large.txt': { text: before } } },
  };
  const [described, patched, diffed] = alternate(ROUNDS, [
    () => processorMs(() => describeWith(registry, call)),
    () => processorMs(() => structuredPatch('a', 'b', before, after, '', '', { context: 3 })),
    () => processorMs(() => diffLines(before, after)),
  ]);
  return {
    bytes: before.length,
    edits: EDITS,
    describeMs: rounded(median(described)),
    structuredPatchAloneMs: rounded(median(patched)),
    diffLinesAloneMs: rounded(median(diffed)),
  };
}

function lines(bytes: number): string {
  let text = '';
  for (let at = 0; text.length < bytes; at++) text += `${at}: the line with number ${(at * 7919) % 1000}\n`;
  return text;
}

function edited(text: string, edits: number): string {
  const all = text.split('\n');
  const step = Math.floor(all.length / (edits + 1));
  for (let edit = 1; edit <= edits; edit++) all[edit * step] = `changed in edit ${edit}`;
  return all.join('\n');
}

const rounded = (ms: number): number => Number(ms.toFixed(1));

/** Running programs, by the minute before: what shares cores and caches makes processor time dearer, too. */
const load = (): number => rounded(loadavg()[0] ?? 0);

const loadBefore = load();
const results = { corpus: corpus(), largeFile: largeFile() };
const around = { ...machine(), loadBefore, loadAfter: load() };
console.log(JSON.stringify({ bench: 'describe', machine: around, ...results }));
