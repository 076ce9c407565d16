/** What every bench measures with. Must not know what is measured. */
import { cpus } from 'node:os';

/** Where a number comes from. */
export function machine(): { node: string; cpu: string; cores: number; platform: string } {
  const all = cpus();
  return {
    node: process.versions.node,
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    platform: `${process.platform}-${process.arch}`,
  };
}

/** Some rounds to warm up, then the measurements in turn, so that a slow moment of the machine meets all. */
export function alternate<const T extends readonly (() => number)[]>(
  { warmUps, runs }: { warmUps: number; runs: number },
  measures: T,
): { [K in keyof T]: number[] } {
  for (let round = 0; round < warmUps; round++) for (const measure of measures) measure();
  const results = measures.map((): number[] => []);
  for (let run = 0; run < runs; run++) {
    measures.forEach((measure, at) => {
      results[at]?.push(measure());
    });
  }
  return results as { [K in keyof T]: number[] };
}

/** Of an odd number of measurements the middle one. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Pieces of work a second of processor time; `work` does `pieces` of them, and is repeated for at least `minMs`.
 * Processor time of all threads of the process: what others do on the machine at the time does not count, garbage
 * collection does.
 */
export function ratePerSecond(work: () => void, pieces: number, minMs: number): number {
  let done = 0;
  const spentMs = processorMs(() => {
    const began = performance.now();
    do {
      work();
      done += pieces;
    } while (performance.now() - began < minMs);
  });
  return (done * 1000) / spentMs;
}

/** Milliseconds of processor time that some work takes. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
