/** How long and how often to measure. */
export interface RunOptions {
  /** Measurements of each side, in turn. */
  readonly pairs: number;
  /** Length of one measurement. */
  readonly runMs: number;
  readonly quick: boolean;
  /** Flags for the relay's Node, such as `--cpu-prof`. */
  readonly profile: readonly string[];
}
