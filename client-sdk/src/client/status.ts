/** What a person is told of a connection. Pure. Must not know sockets. */
import type { LinkState } from '@countersign/protocol/link';
import type { PairingStatus } from '../api.js';
import type { PairingRecord } from './pairing-record.js';

type Problem = NonNullable<PairingStatus['problem']>;

export function connectionOf(state: LinkState): PairingStatus['connection'] {
  return state.phase === 'idle' ? 'connecting' : state.phase;
}

/**
 * The relay says `unauthorized` to a device nobody confirmed yet and to one that was revoked: which of them, only
 * this device knows (01 §3). No answer of a relay makes keys go away.
 */
export function problemOf(
  state: LinkState,
  record: PairingRecord,
  ownedElsewhere: boolean,
): Problem | undefined {
  if (ownedElsewhere) {
    return {
      code: 'open_elsewhere',
      message: 'This app is open in another tab, which is connected. Close it there.',
    };
  }
  if (state.phase !== 'waiting') return clockProblem(state, record);
  const { code, message } = state.problem;
  if (code === 'unauthorized' && !record.admitted) {
    return {
      code: 'waiting_for_confirmation',
      message: `Waiting for ${record.agentName}: type the code ${record.code} there.`,
    };
  }
  if (code === 'unauthorized' || code === 'revoked') {
    return { code: 'revoked', message: `${record.agentName} has removed this device. Pair again to use it.` };
  }
  return { code, message };
}

function clockProblem(state: LinkState, record: PairingRecord): Problem | undefined {
  if (state.phase !== 'online' || record.adoptedClockOffsetMs === undefined) return undefined;
  return {
    code: 'clock_skew',
    message: "This device's clock is days away from the agent's, whose time is used instead. Set the clock.",
  };
}
