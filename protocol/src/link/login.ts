/**
 * The handshake from the peer's side (01 §3): challenge, binding check, `auth`, `auth_ok`. A machine fed with
 * bytes that ends in exactly one of `done` and `failed`. Must not know sockets, timers or what follows.
 */
import { challengeText, isBoundTo } from '../auth/index.js';
import {
  type AuthRole,
  bytesEqual,
  CAPABILITY,
  decodeFrame,
  encodeFrame,
  type RelayFrame,
  WIRE,
} from '../frames/index.js';
import { guessAuthority } from './binding.js';
import type { LinkProblem, MaybePromise } from './ports.js';
import { bindingProblem, type ProblemContext, problem, problemOfWire } from './problems.js';

export interface LoginParams {
  readonly who: ProblemContext;
  readonly role: AuthRole;
  readonly namespaceId: Uint8Array;
  readonly capabilities: readonly string[];
  readonly invite?: string | undefined;
  /** Whether a challenge that is not bound to the dialled relay may be signed. */
  readonly binding: 'required' | 'unless_original' | 'original';
  sign(message: Uint8Array): MaybePromise<Uint8Array>;
  /** The challenge was bound; awaited before anything is signed. */
  onBound?(): MaybePromise<void>;
}

export interface LoginResult {
  readonly capabilities: ReadonlySet<string>;
  readonly relayBound: boolean;
  /** Name of this registration in pushes; only with `push-handle`. */
  readonly pushHandle?: Uint8Array | undefined;
}

export interface LoginEvents {
  send(frame: Uint8Array): void;
  done(result: LoginResult): void;
  failed(problem: LinkProblem): void;
}

export class Login {
  readonly #params: LoginParams;
  readonly #events: LoginEvents;
  #expects: 'challenge' | 'nothing' | 'answer' | 'ended' = 'challenge';
  #relayBound = false;

  constructor(params: LoginParams, events: LoginEvents) {
    this.#params = params;
    this.#events = events;
  }

  /** One message of the relay; undefined stands for a text message. */
  onMessage(data: Uint8Array | undefined): void {
    if (this.#expects === 'ended') return;
    const frame = data && decodeFrame(data);
    if (frame?.type === 'auth_error') this.#fail(problemOfWire(frame.code, this.#params.who));
    else if (frame?.type === 'challenge' && this.#expects === 'challenge') {
      this.#expects = 'nothing';
      this.#answer(frame.nonce).catch(() => this.#fail(problem('local_failure', this.#params.who)));
    } else if (frame?.type === 'auth_ok' && this.#expects === 'answer') this.#accept(frame);
    else this.#fail(problem('protocol', this.#params.who));
  }

  /** Nothing is signed or reported from here on. */
  stop(): void {
    this.#expects = 'ended';
  }

  async #answer(nonce: Uint8Array): Promise<void> {
    const { who, role, capabilities, invite, sign } = this.#params;
    if (nonce.length !== WIRE.challengeNonceBytes) return this.#fail(problem('protocol', who));
    if (!(await this.#mayAnswer(nonce)) || this.#expects !== 'nothing') return;
    const signature = await sign(challengeText(nonce));
    if (this.#expects !== 'nothing') return;
    this.#expects = 'answer';
    const auth = { type: 'auth', role, signature, capabilities: [...capabilities] } as const;
    this.#events.send(encodeFrame(invite === undefined ? auth : { ...auth, invite }));
  }

  async #mayAnswer(nonce: Uint8Array): Promise<boolean> {
    const { who, binding, onBound } = this.#params;
    this.#relayBound = await isBoundTo(nonce, who.authority);
    if (this.#relayBound) {
      if (binding !== 'original') await onBound?.();
      return true;
    }
    if (binding !== 'required') return true;
    this.#fail(bindingProblem(who, await guessAuthority(nonce, who.authority)));
    return false;
  }

  #accept(frame: Extract<RelayFrame, { type: 'auth_ok' }>): void {
    const { who, namespaceId, capabilities } = this.#params;
    // Absent is no contradiction (proto3 leaves an empty member out); another namespace is.
    const stated = frame.namespaceId;
    if (stated.length > 0 && !bytesEqual(stated, namespaceId)) {
      this.#fail(problem('protocol', who));
      return;
    }
    this.#expects = 'ended';
    const inForce = new Set(frame.capabilities.filter((name) => capabilities.includes(name)));
    const pushHandle = inForce.has(CAPABILITY.pushHandle) ? handleIn(frame.pushHandle) : undefined;
    this.#events.done({ capabilities: inForce, relayBound: this.#relayBound, pushHandle });
  }

  #fail(reason: LinkProblem): void {
    if (this.#expects === 'ended') return;
    this.#expects = 'ended';
    this.#events.failed(reason);
  }
}

function handleIn(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes?.length === WIRE.pushHandleBytes ? bytes : undefined;
}
