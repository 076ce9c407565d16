/**
 * Opens an agent: its state first, whole or not at all, then its link, which connects by itself. Must not wait for
 * the relay.
 */
import { CountersignError, toHex } from '@countersign/protocol';
import { namespaceIdOf } from '@countersign/protocol/auth';
import { deriveIdentity } from '@countersign/protocol/e2e';
import type { Agent, AgentOptions } from '../api.js';
import type { Wording } from '../inbox/index.js';
import { type AgentStore, openAgentStore } from '../store/index.js';
import { OpenAgent } from './agent.js';
import { type Clock, type Core, eventHub, silentLogger, systemClock } from './core.js';
import { assemble, type Parts } from './parts.js';
import { type Settings, settingsOf } from './settings.js';

/** What surrounds an agent; tests give their own. */
export interface World {
  readonly clock: Clock;
  readonly wording: Wording;
  /** Bound of the state file in pages (`max_page_count`). */
  readonly maxPages?: number | undefined;
}

/**
 * Resolves when the state is open, not when connected.
 * @throws CountersignError `invalid_request`, `directory_in_use` (details `pid`, `program`, `since`),
 * `seed_permissions`, `state_permissions`, `state_corrupt`, `state_newer`, `state_locked`, `storage_full`.
 */
export async function openAgentIn(world: World, options: AgentOptions): Promise<Agent> {
  const settings = settingsOf(options);
  const store = openAgentStore(settings.dir, { maxPages: world.maxPages });
  try {
    const core = await coreOf(world, options, settings, store);
    const parts = assemble(core, settings, world.wording);
    begin(parts);
    return new OpenAgent(parts);
  } catch (error) {
    store.close();
    throw error;
  }
}

async function coreOf(
  world: World,
  options: AgentOptions,
  settings: Settings,
  store: AgentStore,
): Promise<Core> {
  const identity = await deriveIdentity(store.seed);
  const namespaceId = await namespaceIdOf(identity.ed25519Public);
  ownNamespace(store, toHex(namespaceId));
  const log = options.logger ?? silentLogger;
  const events = eventHub(log);
  return { store, clock: world.clock, identity, namespaceId, label: settings.label, events, log };
}

/** The state must be this seed's: another's devices and counters are of no use, and no harm may come to them. */
function ownNamespace(store: AgentStore, namespaceId: string): void {
  const { meta } = store.tables;
  const known = meta.get('namespace_id');
  if (known === undefined) meta.put('namespace_id', namespaceId);
  else if (known !== namespaceId) {
    throw new CountersignError(
      'state_corrupt',
      'The seed does not belong to the state beside it. Restore both from the same backup, or use another directory.',
    );
  }
}

function begin({ restart, houseKeeping, intake, background, link }: Parts): void {
  background.run('release_failed', () => intake.releaseAll());
  restart.begin();
  houseKeeping.start();
  link.start();
}

export function realWorld(wording: Wording): World {
  return { clock: systemClock, wording };
}
