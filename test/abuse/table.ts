/** Reports of attacks as the table of docs/relay-trials.md. Must not know how they were made. */
import type { AttackReport } from './attack.js';

const HEAD = [
  '| what is tried | limit that meets it | what came of it | memory before → peak, MiB | pair p50 / p99, ms |',
  '| --- | --- | --- | --- | --- |',
];

export function tableOf(reports: readonly AttackReport[]): string {
  return [...HEAD, ...reports.map(rowOf)].join('\n');
}

function rowOf({ name, limit, counts, memoryMb, pairMs }: AttackReport): string {
  const came = Object.entries(counts).map(([what, times]) => `${times} × ${what}`);
  const memory = `${memoryMb.before} → ${memoryMb.peak}`;
  return `| ${[name, limit, came.join(', '), memory, `${pairMs.p50} / ${pairMs.p99}`].join(' | ')} |`;
}
