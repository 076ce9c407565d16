/** Whether a server was the bottleneck while it was measured. Pure: must not know where the numbers come from. */

/** Below this share of one core the generator or the network was measured, not the server. */
export const SATURATED_SHARE = 0.95;

/** Counters of one process, all in milliseconds since some moment. */
export interface Usage {
  readonly atMs: number;
  /** Processor time of all its threads. */
  readonly cpuMs: number;
  /** How long its main thread waited for a core that others had; 0 where the system does not tell. */
  readonly waitedMs: number;
}

export interface Load {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Processor time by wall time. */
  readonly cpuShare: number;
  /** The same with the time it wanted a core and had none: on a machine that others use too. */
  readonly wantedShare: number;
}

export function loadBetween(before: Usage, after: Usage): Load {
  const wallMs = after.atMs - before.atMs;
  const cpuMs = after.cpuMs - before.cpuMs;
  const waitedMs = after.waitedMs - before.waitedMs;
  return { wallMs, cpuMs, cpuShare: cpuMs / wallMs, wantedShare: (cpuMs + waitedMs) / wallMs };
}

/** A rate of a server that was not saturated says nothing about the server. */
export function isSaturated({ wantedShare }: Load): boolean {
  return wantedShare >= SATURATED_SHARE;
}
