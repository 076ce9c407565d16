/** Door "./describe": calls in words and blocks, for any tool. */
export type { CallArguments } from './call.js';
export { genericSummary, genericView } from './generic.js';
export {
  createRegistry,
  type Describer,
  type FallbackReason,
  type Registry,
  type RegistryOptions,
} from './registry.js';
