/** Door ".": ask a human before an agent acts. */
import { openAgentIn, realWorld } from './agent/open-agent.js';
import { registryWording } from './agent/wording.js';
import type { Agent, AgentOptions } from './api.js';
import { createRegistry } from './describe/index.js';

/**
 * Opens the agent of a state directory. Resolves when its state is open, not when it is connected; from then on it
 * connects by itself and keeps trying.
 * @throws CountersignError `invalid_request`, `directory_in_use` (details `pid`, `program`, `since`),
 * `seed_permissions`, `state_permissions`, `state_corrupt`, `state_newer`, `state_locked`, `storage_full`.
 */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const log = options.logger;
  const registry =
    options.registry ??
    createRegistry({ onFallback: (tool, reason) => log?.warn('describer_not_used', { tool, reason }) });
  return openAgentIn(realWorld(registryWording({ registry, fileRoots: options.fileRoots })), options);
}

export { CountersignError } from '@countersign/protocol';
export type {
  Agent,
  AgentDevice,
  AgentEvents,
  AgentLogger,
  AgentOptions,
  ApprovalOutcome,
  ApprovalRequest,
  ApprovedOutcome,
  Approver,
  Choice,
  ClarificationRequest,
  ElicitationOutcome,
  ElicitationRequest,
  EndedOutcome,
  PairingSession,
  PendingItem,
  PushOutcome,
  PushReport,
  Receipt,
  Risk,
  Scope,
  ToolDeclaration,
} from './api.js';
export {
  type AgentSocket,
  connectAgentSocket,
  type RemoteAgent,
  type ServeOptions,
  serveAgentSocket,
} from './daemon/index.js';
export type { Registry } from './describe/index.js';
