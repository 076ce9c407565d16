/** What every gateway of one set shares. */
import type { Authority } from './authority.js';

export interface GatewayContext {
  readonly authority: Authority;
  /** Unix ms; the clock of every rule about time. */
  readonly now: () => number;
  /** False: only counts, for load runs. */
  readonly keeps: boolean;
}
