/**
 * Why a connection failed or ended, in one sentence a person can act on. Texts of the relay are never passed
 * on: they come from outside. Must not know sockets or retries.
 */
import { CLOSE, CountersignError, type ErrorCode, isErrorCode } from '../frames/index.js';
import type { SocketClose } from '../platform/platform.js';
import type { LinkProblem } from './ports.js';

export type ProblemCode = LinkProblem['code'];

/** Who asked, and whom: what the sentences need. */
export interface ProblemContext {
  readonly role: 'agent' | 'client' | 'pairing';
  /** The dialled `host[:port]`. */
  readonly authority: string;
  readonly hasInvite: boolean;
}

type Sentence = (who: ProblemContext) => string;

const UNAUTHORIZED: Readonly<Record<ProblemContext['role'], Sentence>> = {
  agent: ({ authority, hasInvite }) =>
    hasInvite
      ? `The relay ${authority} does not take this invite: ask its operator for the right one.`
      : `The relay ${authority} asks for an invite to take a new agent: ask its operator for it.`,
  client: () =>
    'The agent has not authorized this device: confirm it at the agent, or pair again if it was revoked there.',
  pairing: () => 'The relay does not let this device pair: ask the agent for a new pairing link.',
};

const NOT_FOUND: Readonly<Record<ProblemContext['role'], Sentence>> = {
  agent: ({ authority }) => `The relay ${authority} does not know this agent: check the relay's address.`,
  client: ({ authority }) =>
    `The relay ${authority} does not know this agent any more: pair this device again.`,
  pairing: ({ authority }) =>
    `The relay ${authority} does not know this agent: ask the agent for a new pairing link.`,
};

const SENTENCES: Readonly<Record<ProblemCode, Sentence>> = {
  unreachable: ({ authority }) =>
    `The relay ${authority} cannot be reached: check the network and that the relay runs there.`,
  tls: ({ authority }) =>
    `The certificate of ${authority} is not trusted: check its name and expiry, or give its authority as "ca".`,
  relay_binding: ({ authority }) =>
    `The relay did not prove that it is ${authority}, so nothing was signed: check the address, and that the relay lists ${authority} among its public hosts.`,
  protocol: ({ authority }) =>
    `What answers at ${authority} does not speak as a relay does: check the address.`,
  displaced: () => 'This identity is signed in elsewhere: close it there, or wait until it is tried again.',
  revoked: () => 'The agent has revoked this device: pair again to use it.',
  going_away: ({ authority }) =>
    `The relay ${authority} said goodbye, as it does when it stops: it is tried again.`,
  idle: ({ authority }) => `The connection to ${authority} went silent: nothing to do, it is tried again.`,
  too_slow: ({ authority }) =>
    `More came from ${authority} than could be dealt with or read in time: nothing is lost, it is tried again.`,
  challenge_timeout: ({ authority }) =>
    `The login at ${authority} took too long: check the network, it is tried again.`,
  invalid_signature: ({ authority }) =>
    `The relay ${authority} refuses this identity's signature: its keys do not belong together, restore them or pair anew.`,
  unauthorized: (who) => UNAUTHORIZED[who.role](who),
  not_found: (who) => NOT_FOUND[who.role](who),
  pairing_closed: () => 'This pairing link was used or has expired: ask the agent for a new one.',
  rate_limited: ({ authority }) =>
    `The relay ${authority} asks for fewer connections or messages: wait, it is tried again.`,
  payload_too_large: ({ authority }) =>
    `The relay ${authority} refuses a message of this size: shorten it, or raise the relay's limit.`,
  queue_full: () =>
    'The relay holds as many messages for this peer as it may: open the app there to fetch them.',
  bad_request: ({ role, authority }) =>
    role === 'agent'
      ? `The relay ${authority} does not understand this agent: update the relay or the SDK.`
      : `The relay ${authority} does not understand this kind of device: it may be too old for web devices, ask its operator to update it.`,
  unavailable: ({ authority }) =>
    `The relay ${authority} cannot store messages now: nothing is lost, it is tried again.`,
  origin_refused: ({ authority }) =>
    `The relay ${authority} does not serve pages of this origin: its operator must add the origin to allowedOrigins.`,
  local_failure: () =>
    'What arrived could not be handled or stored on this side: check free disk space and the log; the relay keeps it.',
};

export function problem(code: ProblemCode, who: ProblemContext): LinkProblem {
  return { code, message: SENTENCES[code](who) };
}

/** A code out of a frame; one that names no problem becomes `protocol`. */
export function problemOfWire(code: string, who: ProblemContext): LinkProblem {
  return problem(isProblemCode(code) ? code : 'protocol', who);
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(SENTENCES, code);
}

/** The wrong name as far as it can be told: the relay proves a name without saying it. */
export function bindingProblem(who: ProblemContext, answeredFor: string | undefined): LinkProblem {
  if (answeredFor === undefined) return problem('relay_binding', who);
  return {
    code: 'relay_binding',
    message: `Dialled ${who.authority}, but the relay proves to be ${answeredFor}, so nothing was signed: dial that name, or have the relay list ${who.authority} among its public hosts (a proxy must pass Host on).`,
  };
}

const BY_CLOSE: ReadonlyMap<number, ProblemCode> = new Map([
  [CLOSE.goingAway, 'going_away'],
  [CLOSE.tooBig, 'payload_too_large'],
  [CLOSE.tryLater, 'unavailable'],
  [CLOSE.displaced, 'displaced'],
  [CLOSE.revoked, 'revoked'],
  [CLOSE.idle, 'idle'],
  [CLOSE.tooSlow, 'too_slow'],
]);

const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [403, 'origin_refused'],
  [429, 'rate_limited'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
]);

const TLS_CAUSE = /CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL|^EPROTO$|ISSUER/;

/** What a close says; `lastError` is the code of the last `error` frame, which explains 1008 and 1013. */
export function problemOfClose(
  info: SocketClose,
  who: ProblemContext,
  lastError: string | undefined,
): LinkProblem {
  if (info.httpStatus !== undefined) return problem(BY_STATUS.get(info.httpStatus) ?? 'protocol', who);
  if (info.cause !== undefined) return problem(TLS_CAUSE.test(info.cause) ? 'tls' : 'unreachable', who);
  const explained = info.code === CLOSE.policy || info.code === CLOSE.tryLater;
  if (explained && lastError !== undefined) return problemOfWire(lastError, who);
  if (info.code === CLOSE.policy) return problem('protocol', who);
  return problem(BY_CLOSE.get(info.code) ?? 'unreachable', who);
}

/** The same as an exception, for callers of a single attempt. */
export function errorOfProblem({ code, message }: LinkProblem): CountersignError {
  const errorCode: ErrorCode = isErrorCode(code) ? code : (LOCAL[code] ?? 'unavailable');
  return new CountersignError(errorCode, message);
}

const LOCAL: Readonly<Partial<Record<ProblemCode, ErrorCode>>> = {
  origin_refused: 'unauthorized',
  revoked: 'unauthorized',
};
