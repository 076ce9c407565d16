/**
 * What the handlers of frames see of the connection they serve. Implemented by `member.ts`; a test hands in
 * its own.
 */
import type { RelayFrame, WireCode } from '@countersign/protocol';
import type { BucketSize } from '../admission/token-bucket.js';
import type { PeerIdentity, RelayContext } from '../context.js';
import type { Commits } from './commits.js';

export interface PeerSession {
  readonly context: RelayContext;
  readonly peer: PeerIdentity;
  readonly commits: Commits;
  /** The agent's namespace waits for its first pairing window to be stored. */
  unstored: boolean;
  /** False once the connection is closed or displaced: its frames are not executed any more. */
  readonly active: boolean;
  send(frame: RelayFrame): void;
  /** `error`, and the connection stays. `ref`: the message it is about, where the peer asked for that. */
  refuse(code: WireCode, message: string, ref?: bigint): void;
  /** `error`, then the close code that goes with it. */
  fail(code: WireCode, message: string, ref?: bigint): void;
  resizeBucket(size: BucketSize): void;
}
