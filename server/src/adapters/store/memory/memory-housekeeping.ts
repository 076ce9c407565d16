/**
 * What leaves a memory store with time, in bounded steps. Must not know the wire.
 */
import { ROUTING, toHex } from '@countersign/protocol';
import { REPORT_LIFE_MS, type RelayStore } from '../../../ports/index.js';
import { type MemoryNamespace, removeMessages } from './memory-namespace.js';

type CollectOptions = Parameters<RelayStore['collect']>[0];
type Collected = Awaited<ReturnType<RelayStore['collect']>>;

/** `RelayStore.collect`. */
export function collect(namespaces: Map<string, MemoryNamespace>, options: CollectOptions): Collected {
  for (const id of options.connected) {
    const namespace = namespaces.get(toHex(id));
    if (namespace !== undefined) namespace.touchedAt = Math.max(namespace.touchedAt, options.now);
  }
  const all = [...namespaces.values()];
  for (const namespace of all) {
    if (namespace.window !== undefined && namespace.window.expiresAt <= options.now)
      namespace.window = undefined;
  }
  for (const namespace of all) {
    namespace.reports = namespace.reports.filter(({ at }) => at > options.now - REPORT_LIFE_MS);
  }
  return {
    messages: upTo(options.maxRows, all, (each, budget) => dropExpired(each, options.now, budget)),
    devices: upTo(options.maxRows, all, (each, budget) => dropPending(each, options.pendingBefore, budget)),
    nonces: upTo(options.maxRows, all, (each, budget) => dropNonces(each, options.now, budget)),
    namespaces: upTo(options.maxRows, all, (each) => dropUnused(namespaces, each, options)),
  };
}

/** Sums what `step` removed, and stops at the limit. */
function upTo(
  limit: number,
  namespaces: readonly MemoryNamespace[],
  step: (namespace: MemoryNamespace, budget: number) => number,
): number {
  let removed = 0;
  for (const namespace of namespaces) {
    if (removed >= limit) break;
    removed += step(namespace, limit - removed);
  }
  return removed;
}

function dropExpired(namespace: MemoryNamespace, now: number, budget: number): number {
  let left = budget;
  return removeMessages(namespace, (message) => message.expiresAt <= now && left-- > 0);
}

function dropNonces({ nonces }: MemoryNamespace, now: number, budget: number): number {
  const old = [...nonces].filter(([, { at }]) => at <= now - ROUTING.dedupMs || at > now).slice(0, budget);
  for (const [key] of old) nonces.delete(key);
  return old.length;
}

function dropPending(namespace: MemoryNamespace, before: number, budget: number): number {
  const old = [...namespace.devices].filter(([, device]) => !device.authorized && device.pairedAt < before);
  for (const [key] of old.slice(0, budget)) namespace.devices.delete(key);
  return Math.min(old.length, budget);
}

function dropUnused(
  namespaces: Map<string, MemoryNamespace>,
  namespace: MemoryNamespace,
  options: CollectOptions,
): number {
  const usedBefore = namespace.devices.size === 0 ? options.emptyBefore : options.idleBefore;
  return namespace.touchedAt < usedBefore && namespaces.delete(toHex(namespace.id)) ? 1 : 0;
}
