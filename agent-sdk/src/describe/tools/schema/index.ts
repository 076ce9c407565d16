/**
 * Any tool by its own JSON Schema, as MCP servers publish it: order, titles, choices and kinds of its arguments, and
 * what its annotations claim. The tool's name leads; the server's words stand beside it, never in its place.
 */
import type { Block } from '@countersign/protocol/blocks';
import type { JsonObject } from '../../call.js';
import {
  type DescribeContext,
  type Describer,
  type DescriberEntry,
  end,
  middle,
  oncePerCall,
  type RiskEstimate,
  type SummaryPart,
} from '../../describer.js';
import { genericSummary, genericView } from '../../generic.js';
import { inferValue } from '../../infer.js';
import { plainName } from '../../names.js';
import { argumentRow, row, valueRow } from '../../rows.js';
import { withClaims } from '../../server-claims.js';
import { asObject } from '../given.js';
import { normal, type Reason, worst } from '../told.js';
import { nameReasons, nameWords, serverOf } from './names.js';
import { choiceOf, type Property, readSchema, type ToolSchema } from './read.js';
import { argumentReasons } from './weights.js';

/** A tool as an MCP server lists it (Model Context Protocol 2025-06-18, `Tool`). Everything but the name is a claim. */
export interface McpTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

const MAX_DESCRIPTION_UNITS = 400;
/** Arguments named in a summary. */
const MAX_SUMMARISED = 3;

/**
 * A describer made of what a server says of its tool, for `registry.add(tool.name, fromJsonSchema(tool))`.
 * @param tool is not trusted: nonsense in it is left out, and its annotations only ever make a call graver, or lighter
 * where nothing else is known of it.
 */
export function fromJsonSchema(tool: McpTool): Describer {
  const schema = readSchema(tool.inputSchema);
  const annotations = asObject(tool.annotations);
  const claims = {
    schema,
    title: textOf(tool.title) ?? textOf(annotations?.title),
    description: textOf(tool.description),
  };
  return {
    summary: (args, { toolName }) => summaryOf(toolName, args, schema),
    view: (args, { toolName }) => viewOf(toolName, args, claims),
    risk: (args, { toolName }) => withClaims(riskOf(toolName, args, schema), annotations),
  };
}

/** Whatever tool comes with a schema, or with words of its server, and has no describer of its own. */
const anyTool: Describer = {
  accepts: (_args, { schema, title, description, annotations }) =>
    asObject(schema?.properties) !== undefined ||
    [title, description, annotations?.title].some((words) => textOf(words) !== undefined),
  summary: (args, context) => bySchema(context).summary(args, context),
  view: (args, context) => bySchema(context).view(args, context),
  // What the server claims by its annotations is weighed for every tool, after its describer.
  risk: (args, { toolName, schema }) => riskOf(toolName, args, readSchema(schema)),
};

function bySchema(context: DescribeContext): Describer {
  const { toolName, title, description, schema, annotations } = context;
  return oncePerCall(context, fromJsonSchema, () =>
    fromJsonSchema({ name: toolName, title: title ?? annotations?.title, description, inputSchema: schema }),
  );
}

/** Without either: the generic words, and an estimate by the verb in the name and by what arguments weigh. */
const anyName: Describer = {
  accepts: (args, { toolName }) => nameReasons(toolName).length + argumentReasons(args).length > 0,
  summary: (args, { toolName }) => genericSummary(toolName, { arguments: args }),
  view: (args, { toolName }) => genericView(toolName, { arguments: args }),
  risk: (args, { toolName }) => riskOf(toolName, args, undefined),
};

/** The last family: nothing is asked after it. */
export const schemaTools: readonly DescriberEntry[] = [
  [/^/, anyTool],
  [/^/, anyName],
];

interface Claims {
  readonly schema: ToolSchema | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
}

/** The tool's name as words, its server, then the arguments that must be there. */
function summaryOf(toolName: string, args: JsonObject, schema: ToolSchema | undefined): SummaryPart[] {
  const server = serverOf(toolName);
  const names = inOrder(args, schema).toSorted((a, b) => rank(a, schema) - rank(b, schema));
  const told = names.slice(0, MAX_SUMMARISED).flatMap((name, at): SummaryPart[] => {
    const shown = inferValue(name, args[name], args);
    const secret = shown.value_type === 'secret' || schema?.properties.get(name)?.secret === true;
    const value = secret
      ? '(secret)'
      : /^(?:path|url|command|email)$/.test(shown.value_type)
        ? middle(shown.value)
        : end(shown.value);
    return [at === 0 ? ': ' : ', ', ...(names.length === 1 ? [] : [end(name), '=']), value];
  });
  const more = names.length - MAX_SUMMARISED;
  return [
    end(nameWords(toolName)),
    ...(server === undefined ? [] : [' (', end(server), ')']),
    ...told,
    ...(more > 0 ? [` (+${more} more)`] : []),
  ];
}

function rank(name: string, schema: ToolSchema | undefined): number {
  return schema?.required.includes(name) === true ? 0 : 1;
}

/** In the schema's order, then the caller's. */
function inOrder(args: JsonObject, schema: ToolSchema | undefined): string[] {
  const listed = [...(schema?.properties.keys() ?? [])].filter((name) => Object.hasOwn(args, name));
  const known = new Set(listed);
  return [...listed, ...Object.keys(args).filter((name) => !known.has(name))];
}

function viewOf(toolName: string, args: JsonObject, { schema, title, description }: Claims): Block[] {
  const server = serverOf(toolName);
  const rows = inOrder(args, schema).map((name) => argumentBlock(args, name, schema?.properties.get(name)));
  return [
    row('Tool', toolName === '' ? 'without a name' : toolName),
    ...(server === undefined ? [] : [row('Server', server)]),
    ...(title === undefined || plainName(title) === plainName(toolName)
      ? []
      : [row('The server calls it', title)]),
    ...rows,
    ...oddities(args, schema).map((words) => row('Watch out', words)),
    ...(description === undefined
      ? []
      : [valueRow('The server says', { value: description, value_type: 'text' })]),
  ];
}

function argumentBlock(args: JsonObject, name: string, property: Property | undefined): Block {
  if (property === undefined) return argumentRow(args, name);
  const label =
    property.words === undefined || plainName(property.words) === plainName(name)
      ? name
      : `${name} (${property.words})`;
  const inferred = inferValue(name, args[name], args);
  const { title } = choiceOf(property, args[name]);
  const value = title === undefined ? inferred.value : `${inferred.value} (${title})`;
  if (inferred.value_type === 'secret') return valueRow(label, inferred);
  if (property.secret && inferred.value_type !== 'boolean')
    return valueRow(label, { value, value_type: 'secret' });
  const claimed = typeof args[name] === 'string' ? property.type : undefined;
  const { lang = inferred.lang } = property;
  return valueRow(label, {
    value,
    value_type: claimed ?? inferred.value_type,
    ...(lang === undefined ? {} : { lang }),
  });
}

/** What the call has that its schema does not, and the other way round. */
function oddities(args: JsonObject, schema: ToolSchema | undefined): string[] {
  if (schema === undefined) return [];
  const missing = schema.required.filter((name) => !Object.hasOwn(args, name));
  const strange = schema.closed ? Object.keys(args).filter((name) => !schema.properties.has(name)) : [];
  const wrong = [...schema.properties].filter(
    ([name, property]) => Object.hasOwn(args, name) && !choiceOf(property, args[name]).known,
  );
  return [
    ...missing.slice(0, 5).map((name) => `${name} is required and not there`),
    ...strange.slice(0, 5).map((name) => `the tool does not list ${name}`),
    ...wrong.slice(0, 5).map(([name]) => `${name} is none of the tool's choices`),
  ];
}

/** By the verb in the name, what arguments weigh, and what does not fit the schema; gravest first. */
function riskOf(toolName: string, args: JsonObject, schema: ToolSchema | undefined): RiskEstimate {
  const reasons = [...nameReasons(toolName), ...argumentReasons(args), ...oddities(args, schema).map(normal)];
  const level = reasons.length === 0 ? 'normal' : worst(reasons.map((one) => one.level));
  const order = ({ level: one }: Reason) => ['high', 'normal', 'low'].indexOf(one);
  return { level, reasons: reasons.toSorted((a, b) => order(a) - order(b)).map(({ reason }) => reason) };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.length <= MAX_DESCRIPTION_UNITS ? value : `${value.slice(0, MAX_DESCRIPTION_UNITS)}…`;
}
