/**
 * JSON Schema as hosts write it, checked when given and applied to what devices send back. Must not know what is
 * validated. Reaches no network: a reference to another document does not compile. Schemas come from servers nobody
 * vetted, so a schema that makes the validator slow is bounded, not trusted.
 */
import { runInNewContext } from 'node:vm';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { refuse } from './request-checks.js';

export type Validate = (value: unknown) => boolean;

/** Compiling a schema, and each validation by it, may take so long: a pattern or a reference can take for ever. */
export const MAX_SCHEMA_MS = 1_000;

const OPTIONS = {
  strict: false,
  allErrors: false,
  validateFormats: true,
  addUsedSchema: false,
  // A member that only a prototype has is not there.
  ownProperties: true,
  // It would write pieces of the schema to standard error.
  logger: false,
} as const;

/** A schema without `$schema` is read by the latest draft, as MCP has it. @throws CountersignError `invalid_request`. */
export function compileSchema(schema: Record<string, unknown>, member: string): Validate {
  // `$async` is the validator's own: its promise would reject with nobody to hear it.
  const { $schema: draft, $id: _id, $async: _async, ...rest } = schema;
  const old = typeof draft === 'string' && /draft-0[4-7]/.test(draft);
  const ajv = old ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  try {
    formats.default(ajv);
    const validate = within(() => ajv.compile(rest));
    return (value) => isValid(validate, value);
  } catch {
    throw refuse(member, 'is no JSON Schema that can be used');
  }
}

/** What cannot be judged in time is not valid. */
function isValid(validate: (value: unknown) => unknown, value: unknown): boolean {
  try {
    return within(() => validate(value)) === true;
  } catch {
    return false;
  }
}

/**
 * Runs `work` here and now; the one way to end a regular expression that backtracks is a context's time limit. That
 * limit is by the wall clock: where a busy machine gave this process no time, the work is tried once more.
 */
function within<T>(work: () => T): T {
  const before = process.cpuUsage();
  const run = () => runInNewContext('work()', { work }, { timeout: MAX_SCHEMA_MS }) as T;
  try {
    return run();
  } catch (error) {
    const { user, system } = process.cpuUsage(before);
    const timedOut = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (!timedOut || (user + system) / 1_000 > MAX_SCHEMA_MS / 2) throw error;
    return run();
  }
}
