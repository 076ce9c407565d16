/**
 * A JSON Schema of an object as a list of form fields. Schemas come from tool servers and may hold anything: what is
 * not understood is edited as JSON. Pure. Must not know screens, nor validate (validate-values.ts).
 */
import { collectJsonSecrets, isSecretMember } from '@countersign/protocol/blocks';
import { isJsonObject, type JsonObject } from '@countersign/protocol/payloads';

/** `kept`: holds secrets below its surface, which no text field could mask, so it stays as it is. */
export type FieldKind = 'text' | 'lines' | 'number' | 'boolean' | 'choice' | 'json' | 'kept';

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly kind: FieldKind;
  readonly choices: readonly Choice[];
  readonly required: boolean;
  readonly secret: boolean;
  /** HTML's kind of text input. */
  readonly inputType: 'text' | 'email' | 'url' | 'date' | 'datetime-local';
  readonly initial: unknown;
}

/** More than a person fills in. */
export const MAX_FIELDS = 200;
const LONG_TEXT_UNITS = 80;

export function fieldsOf(
  schema: JsonObject,
  { initial = {}, secret = false }: { initial?: JsonObject | undefined; secret?: boolean | undefined } = {},
): Field[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(initial)])].slice(0, MAX_FIELDS);
  return names.map((name) => {
    const rules = own(properties, name);
    const value = own(initial, name) ?? (isJsonObject(rules) ? rules.default : undefined);
    return fieldOf(name, isJsonObject(rules) ? rules : {}, value, {
      required: required.includes(name),
      secret: secret || isSecretMember(name, value),
    });
  });
}

function fieldOf(
  name: string,
  rules: JsonObject,
  initial: unknown,
  { required, secret }: Pick<Field, 'required' | 'secret'>,
): Field {
  const choices = choicesOf(rules);
  return {
    name,
    label: typeof rules.title === 'string' && rules.title !== '' ? rules.title : name,
    description: typeof rules.description === 'string' ? rules.description : undefined,
    kind: choices.length > 0 ? 'choice' : kindOf(rules, initial, secret),
    choices,
    required,
    secret,
    inputType: inputTypeOf(rules.format),
    initial,
  };
}

function choicesOf(rules: JsonObject): Choice[] {
  const titled = [rules.oneOf, rules.anyOf].find((list) => Array.isArray(list));
  if (Array.isArray(titled) && titled.every((one) => isJsonObject(one) && 'const' in one)) {
    return (titled as JsonObject[]).map((one) => ({
      value: one.const,
      label: typeof one.title === 'string' ? one.title : String(one.const),
    }));
  }
  const values: readonly unknown[] = Array.isArray(rules.enum) ? rules.enum : [];
  const names: readonly unknown[] = Array.isArray(rules.enumNames) ? rules.enumNames : [];
  return values.map((value, at) => ({ value, label: String(names[at] ?? value) }));
}

function kindOf({ type, format, maxLength }: JsonObject, initial: unknown, secret: boolean): FieldKind {
  if (type === 'boolean' || (type === undefined && typeof initial === 'boolean')) return 'boolean';
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber || (type === undefined && typeof initial === 'number')) return 'number';
  const isText =
    type === 'string' || (type === undefined && (initial === undefined || typeof initial === 'string'));
  if (!isText || (initial !== undefined && typeof initial !== 'string')) {
    return secret || collectJsonSecrets(initial).length > 0 ? 'kept' : 'json';
  }
  const isLong = typeof initial === 'string' && (initial.includes('\n') || initial.length > LONG_TEXT_UNITS);
  const mayBeLong = typeof maxLength === 'number' && maxLength > 200 && format === undefined;
  return isLong || mayBeLong ? 'lines' : 'text';
}

function inputTypeOf(format: unknown): Field['inputType'] {
  if (format === 'email') return 'email';
  if (format === 'uri') return 'url';
  return format === 'date' ? 'date' : 'text';
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** What a field's text stands for; undefined: left empty. @throws SyntaxError for JSON that is none. */
export function valueOfText(field: Pick<Field, 'kind' | 'required'>, text: string): unknown {
  if (field.kind === 'json') return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  if (field.kind !== 'number') return text === '' && !field.required ? undefined : text;
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed.replace(',', '.'));
  // What is no number stays text, and the schema says so.
  return Number.isFinite(value) ? value : trimmed;
}
