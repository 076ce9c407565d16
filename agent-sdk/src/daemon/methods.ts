/** What each call on `agent.sock` does with the agent. Must not know sockets or lines. */
import { CountersignError } from '@countersign/protocol';
import type {
  Agent,
  ApprovalOutcome,
  ApprovedOutcome,
  AskOptions,
  ElicitationOutcome,
  PairingSession,
} from '../api.js';
import { SOCKET_LIMITS } from './limits.js';
import { outcomeData } from './outcome-data.js';
import type { Method, Params } from './params.js';

/** What one client has open, for calls that refer to earlier ones. Ends with its connection. */
export class ClientState {
  readonly #approved = new Map<string, ApprovedOutcome>();
  readonly #pairings = new Map<number, PairingSession>();
  readonly aborts = new Map<number, AbortController>();

  keepApproved(outcome: ApprovedOutcome): void {
    const oldest = this.#approved.keys().next();
    if (this.#approved.size >= SOCKET_LIMITS.maxApprovedCalls && !oldest.done)
      this.#approved.delete(oldest.value);
    this.#approved.set(outcome.requestId, outcome);
  }

  /** @throws CountersignError `invalid_request` when this client got no such approval. */
  approved(requestId: string): ApprovedOutcome {
    const outcome = this.#approved.get(requestId);
    if (outcome !== undefined) return outcome;
    throw new CountersignError('invalid_request', 'No approval of that id was given on this connection.');
  }

  keepPairing(call: number, session: PairingSession): void {
    const [oldest] = this.#pairings;
    if (this.#pairings.size >= SOCKET_LIMITS.maxPairings && oldest !== undefined) {
      this.#pairings.delete(oldest[0]);
      stop(oldest[1]);
    }
    this.#pairings.set(call, session);
  }

  /** A code may still be typed after the window let its device in. @throws CountersignError `closed`. */
  pairing(call: number): PairingSession {
    const session = this.#pairings.get(call);
    if (session !== undefined) return session;
    throw new CountersignError('closed', 'That pairing window has ended.');
  }

  /** Withdraws everything; devices that were confirmed stay. */
  end(): void {
    for (const abort of this.aborts.values()) abort.abort();
    for (const session of this.#pairings.values()) stop(session);
    this.#pairings.clear();
  }

  forget(requestId: string): void {
    this.#approved.delete(requestId);
  }
}

function stop(session: PairingSession): void {
  void session.stop().catch(() => undefined);
}

export interface CallContext {
  readonly agent: Agent;
  readonly client: ClientState;
  readonly callId: number;
  readonly signal: AbortSignal;
  readonly note: (note: Record<string, unknown>) => void;
  /** Begins to end the owner; absent where the owner is a program of its own. */
  readonly shutdown: (() => void) | undefined;
}

type Result = Record<string, unknown>;
type Handler<M extends Method> = (params: Params<M>, context: CallContext) => Promise<Result>;

/** The caller's wish to withdraw reaches the item; the item's id reaches the caller. */
function asking({ signal, note }: CallContext): AskOptions {
  return { signal, onAsked: (asked) => note({ asked }) };
}

const HANDLERS: { readonly [M in Method]: Handler<M> } = {
  async requestApproval(request, context) {
    return told(await context.agent.requestApproval(request, asking(context)), context);
  },
  async askClarification(request, context) {
    return { ...(await context.agent.askClarification(request, asking(context))) };
  },
  async elicit(request, context) {
    return { ...(await context.agent.elicit(request, asking(context))) };
  },
  async reopen({ requestId }, context) {
    return told(await context.agent.reopen(requestId, { signal: context.signal }), context);
  },
  async done({ requestId }, { client }) {
    await client.approved(requestId).done();
    client.forget(requestId);
    return {};
  },
  async failed({ requestId, reason }, { client }) {
    await client.approved(requestId).failed(reason);
    client.forget(requestId);
    return {};
  },
  async cancel({ call }, { client }) {
    client.aborts.get(call)?.abort();
    return {};
  },
  async notify(note, { agent }) {
    await agent.notify(note);
    return {};
  },
  async pending(_, { agent }) {
    return { items: await agent.pending() };
  },
  async devices(_, { agent }) {
    return { devices: await agent.devices.list() };
  },
  async renameDevice({ deviceId, name }, { agent }) {
    await agent.devices.rename(deviceId, name);
    return {};
  },
  async revokeDevice({ deviceId }, { agent }) {
    await agent.devices.revoke(deviceId);
    return {};
  },
  startPairing: pair,
  async confirmPairing({ call, deviceId, code }, { client }) {
    return { answer: await client.pairing(call).confirm(deviceId, code) };
  },
  async confirmUnverified({ call, deviceId }, { client }) {
    return { answer: await client.pairing(call).confirmUnverified(deviceId) };
  },
  async refusePairing({ call, deviceId }, { client }) {
    await client.pairing(call).refuse(deviceId);
    return {};
  },
  async stopPairing({ call }, { client }) {
    await client.pairing(call).stop();
    return {};
  },
  async status(_, { agent }) {
    return { connected: agent.connected, problem: agent.problem };
  },
  async shutdown(_, { shutdown }) {
    if (shutdown === undefined) {
      throw new CountersignError(
        'unsupported',
        'This directory is served by a program of its own; end that program.',
      );
    }
    shutdown();
    return {};
  },
};

/** @throws CountersignError of the agent. */
export function perform<M extends Method>(
  method: M,
  params: Params<M>,
  context: CallContext,
): Promise<Result> {
  return HANDLERS[method](params, context);
}

/** An outcome as data; `done` and `failed` become calls of their own. */
function told(outcome: ApprovalOutcome | ElicitationOutcome, { client }: CallContext): Result {
  if (outcome.status !== 'approved') return { ...outcome };
  client.keepApproved(outcome);
  return outcomeData(outcome);
}

/** Runs until the window ends or is stopped; its notes tell of the devices. */
async function pair({ ttlMs }: Params<'startPairing'>, context: CallContext): Promise<Result> {
  const { agent, client, callId, signal } = context;
  const session = await agent.startPairing(ttlMs === undefined ? {} : { ttlMs });
  client.keepPairing(callId, session);
  signal.addEventListener('abort', () => stop(session), { once: true });
  if (signal.aborted) stop(session);
  const { link, qrJson, expiresAt } = session;
  context.note({ window: { call: callId, link, qrJson, expiresAt } });
  for await (const arrival of session.devices()) context.note({ arrival });
  return {};
}
