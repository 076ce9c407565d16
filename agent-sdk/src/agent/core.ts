/**
 * What every part of an open agent shares: state, time, keys, events, log. Must not know any of those parts.
 */
import type { IdentityKeys } from '@countersign/protocol/e2e';
import type { AgentEvents, AgentLogger } from '../api.js';
import type { AgentStore } from '../store/index.js';

export interface Timer {
  cancel(): void;
}

/** Time, so that tests own it. `now` is unix milliseconds. */
export interface Clock {
  now(): number;
  setTimer(callback: () => void, ms: number): Timer;
}

export interface Core {
  readonly store: AgentStore;
  readonly clock: Clock;
  readonly identity: IdentityKeys;
  readonly namespaceId: Uint8Array;
  /** The agent's name as people see it, within the limits of a title. */
  readonly label: string;
  readonly events: EventHub;
  readonly log: AgentLogger;
}

/** Longest delay Node's timers take. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return { cancel: () => clearTimeout(timer) };
  },
};

export const silentLogger: AgentLogger = { debug() {}, info() {}, warn() {} };

type Listener<E extends keyof AgentEvents> = (value: AgentEvents[E]) => void;

export interface EventHub {
  on<E extends keyof AgentEvents>(event: E, listener: Listener<E>): () => void;
  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void;
}

/** A listener that throws is logged and does not keep the others from hearing. */
export function eventHub(log: AgentLogger): EventHub {
  const listeners = new Map<keyof AgentEvents, Set<Listener<never>>>();
  return {
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener as Listener<never>));
      return () => set.delete(listener as Listener<never>);
    },
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          (listener as (value: unknown) => void)(value);
        } catch {
          log.warn('listener_failed', { listener: event });
        }
      }
    },
  };
}
