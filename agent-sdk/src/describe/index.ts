/** Door "./describe": calls in words and blocks, for any tool. */
export { quoteArgv } from './argv.js';
export { builtInDescribers } from './built-in.js';
export type { CallArguments, JsonObject } from './call.js';
export {
  type DescribeContext,
  type Describer,
  type DescriberEntry,
  end,
  type FileContent,
  type FileProblem,
  middle,
  oncePerCall,
  type RiskEstimate,
  type RiskLevel,
  type SummaryPart,
} from './describer.js';
export { genericSummary, genericView } from './generic.js';
export { type ReadOptions, readDescribeContext } from './read-context.js';
export {
  type CallContext,
  createRegistry,
  type DescribedCall,
  type FallbackReason,
  type Registry,
  type RegistryOptions,
} from './registry.js';
export { argumentRow, block, field, otherRows, row, textArgument, valueRow } from './rows.js';
export { addTemplates, type DescriberTemplate, templateDescriber } from './template.js';
export { fromJsonSchema, type McpTool } from './tools/schema/index.js';
