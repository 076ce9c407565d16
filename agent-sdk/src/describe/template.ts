/**
 * Describers written as data, for tools whose calls need no code: `{"summary": "Close {issue} in {repo}", "fields":
 * ["repo", {"argument": "body", "label": "Comment", "type": "markdown"}]}`. Must not know tools.
 */
import { CountersignError } from '@countersign/protocol';
import { type Block, jsonText, VALUE_TYPES } from '@countersign/protocol/blocks';
import { z } from 'zod';
import type { JsonObject } from './call.js';
import { type Describer, end, middle, type SummaryPart } from './describer.js';
import { inferValue } from './infer.js';
import type { Registry } from './registry.js';
import { otherRows, valueRow } from './rows.js';

/** The words of a template leave room for what it names. */
const MAX_TEMPLATE_UNITS = 200;
const MAX_WORDS_UNITS = 80;
const MAX_FIELDS = 100;
const MAX_TEMPLATES = 1_000;
const MAX_NAME_UNITS = 128;
const NONE = '(none)';

/** `{name}` or `{outer.inner}`; a brace that names nothing stays a brace. */
const PLACE = /\{([A-Za-z_$][\w$-]{0,127}(?:\.[\w$-]{1,128}){0,8})\}/g;

const name = z.string().min(1).max(MAX_NAME_UNITS);

const summary = z
  .string()
  .min(1)
  .max(MAX_TEMPLATE_UNITS)
  .refine(
    (text) => text.replace(PLACE, '').length <= MAX_WORDS_UNITS,
    `has more than ${MAX_WORDS_UNITS} characters of its own`,
  );

const templateSchema = z.strictObject({
  /** `{argument}` stands for its value; `{outer.inner}` goes into an object. */
  summary,
  /** The first rows, in order; what is not named follows them. */
  fields: z
    .array(
      z.union([
        name,
        z.strictObject({ argument: name, label: name.optional(), type: z.enum(VALUE_TYPES).optional() }),
      ]),
    )
    .max(MAX_FIELDS)
    .optional(),
  risk: z
    .strictObject({
      level: z.enum(['low', 'normal', 'high']),
      reasons: z.array(z.string().min(1).max(MAX_TEMPLATE_UNITS)).max(8),
    })
    .optional(),
});

export type DescriberTemplate = z.infer<typeof templateSchema>;

const templatesSchema = z.record(name, templateSchema);

/** A describer made of data. @throws CountersignError `invalid_request` naming what is wrong with it. */
export function templateDescriber(template: unknown): Describer {
  const read = templateSchema.safeParse(template);
  if (!read.success) throw refusal(read.error);
  const { summary, fields = [], risk } = read.data;
  return {
    summary: (args) => fill(summary, args),
    view: (args) => rowsOf(fields, args),
    ...(risk === undefined ? {} : { risk: () => risk }),
  };
}

/**
 * Adds one template per tool name or pattern (`{"mcp__tracker__close": {…}}`), all or none.
 * @throws CountersignError `invalid_request`.
 */
export function addTemplates(registry: Pick<Registry, 'add'>, templates: unknown): void {
  const read = templatesSchema.safeParse(templates);
  if (!read.success) throw refusal(read.error);
  const entries = Object.entries(read.data);
  if (entries.length > MAX_TEMPLATES)
    throw new CountersignError('invalid_request', `More than ${MAX_TEMPLATES} templates.`);
  for (const [toolName, template] of entries) registry.add(toolName, templateDescriber(template));
}

function refusal(error: z.ZodError): CountersignError {
  const [issue] = error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? 'template' : issue.path.map(String).join('.');
  return new CountersignError(
    'invalid_request',
    `The describer template is wrong at "${where}": ${issue?.message ?? 'unknown'}`,
  );
}

function fill(template: string, args: JsonObject): SummaryPart[] {
  const parts: SummaryPart[] = [];
  let from = 0;
  for (const match of template.matchAll(PLACE)) {
    parts.push(template.slice(from, match.index), placeOf(match[1] ?? '', args));
    from = match.index + match[0].length;
  }
  return [...parts, template.slice(from)].filter((part) => part !== '');
}

/** The argument of just this name, else the way into objects that the dots show. */
function placeOf(path: string, args: JsonObject): SummaryPart {
  const value = Object.hasOwn(args, path) ? args[path] : path.split('.').reduce<unknown>(member, args);
  if (value === undefined || value === null || value === '') return NONE;
  const shown = inferValue(path.split('.').at(-1) ?? path, value, args);
  if (shown.value_type === 'path' || shown.value_type === 'url' || shown.value_type === 'command')
    return middle(shown.value);
  return end(typeof value === 'string' ? value : jsonText(value));
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
}

function rowsOf(fields: NonNullable<DescriberTemplate['fields']>, args: JsonObject): Block[] {
  const wanted = fields.map((one) =>
    typeof one === 'string' ? { argument: one, label: one, type: undefined } : one,
  );
  const present = wanted.filter(({ argument }) => Object.hasOwn(args, argument));
  const first = present.map(({ argument, label, type }) => {
    const shown = inferValue(argument, args[argument], args);
    const secret = shown.value_type === 'secret' || type === undefined;
    return valueRow(label ?? argument, secret ? shown : { ...shown, value_type: type });
  });
  const rows = [
    ...first,
    ...otherRows(
      args,
      wanted.map(({ argument }) => argument),
    ),
  ];
  return rows.length > 0 ? rows : [valueRow('Arguments', { value: 'none', value_type: 'string' })];
}
