/** Every frame but messages, after login (01 §4). */
import type { RelayFrame } from '@countersign/protocol';
import type { PeerSession } from '../session/peer-session.js';
import { authorize } from './authorize.js';
import { startPairing, stopPairing } from './pairing-window.js';

type Command = Exclude<RelayFrame, { type: 'message' }>;

/** @throws CountersignError when the store cannot do its work. */
export async function command(session: PeerSession, frame: Command): Promise<void> {
  switch (frame.type) {
    case 'presence_request':
      return sendPresence(session);
    case 'authorize':
      return forAgents(session, () => authorize(session, frame));
    case 'pairing_start':
      return forAgents(session, () => startPairing(session, frame));
    case 'pairing_stop':
      return forAgents(session, () => stopPairing(session));
    case 'auth':
      return session.refuse('bad_request', 'this connection is logged in already');
    case 'empty':
      return session.refuse('bad_request', 'empty frame');
    default:
    // Frames only the relay sends, an inbound `error`, and extensions not in force are ignored.
  }
}

async function forAgents(session: PeerSession, run: () => Promise<void>): Promise<void> {
  if (session.peer.role === 'agent') return run();
  session.refuse('bad_request', 'only an agent may send this frame');
}

async function sendPresence(session: PeerSession): Promise<void> {
  const online = await session.context.bus.online(session.peer.namespaceId);
  session.send({ type: 'presence_list', online });
}
