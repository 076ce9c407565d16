/**
 * JSON Schema as hosts write it, checked when given and applied to what devices send back. Must not know what is
 * validated. Reaches no network: a reference to another document does not compile.
 */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { refuse } from './request-checks.js';

export type Validate = (value: unknown) => boolean;

const OPTIONS = { strict: false, allErrors: false, validateFormats: true, addUsedSchema: false } as const;

/** A schema without `$schema` is read by the latest draft, as MCP has it. @throws CountersignError `invalid_request`. */
export function compileSchema(schema: Record<string, unknown>, member: string): Validate {
  const { $schema: draft, $id: _id, ...rest } = schema;
  const old = typeof draft === 'string' && /draft-0[4-7]/.test(draft);
  const ajv = old ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  try {
    formats.default(ajv);
    const validate = ajv.compile(rest);
    return (value) => validate(value) === true;
  } catch {
    throw refuse(member, 'is no JSON Schema that can be used');
  }
}
