/** How a pairing stands, in lines for a person: each is said once, retries in between are not. Pure. */
import { escapeToLine } from '@countersign/protocol/blocks';
import type { PairingStatus } from '../api.js';

export class StatusTexts {
  readonly #last = new Map<string, string>();

  /** The line to show, or an empty one when there is no news. */
  next(pairing: PairingStatus): string {
    const state = stateOf(pairing);
    const last = this.#last.get(pairing.id);
    if (state === last || (state === 'connecting' && last !== undefined)) return '';
    this.#last.set(pairing.id, state);
    return `${escapeToLine(pairing.agentName)}: ${state}`;
  }
}

function stateOf({ problem, connection, agentOnline }: PairingStatus): string {
  if (problem !== undefined) return problem.message;
  if (connection !== 'online') return connection;
  return agentOnline === false ? 'connected; the agent is not online' : 'connected';
}
