/**
 * Parameters of the calls on `agent.sock`. Shapes only: what an item may hold is judged by the agent.
 * Must not know who calls.
 */
import { CountersignError } from '@countersign/protocol';
import { z } from 'zod';

const text = z.string();
const expiresInMs = z.number().optional();
const schemaObject = z.record(z.string(), z.unknown());
const device = z.strictObject({ deviceId: text });
const item = z.strictObject({ requestId: text });
const call = z.int().nonnegative();

export const PARAMS = {
  requestApproval: z.strictObject({
    toolName: text,
    arguments: z.unknown().optional(),
    argumentsText: text.optional(),
    summary: text.optional(),
    blocks: z.unknown().optional(),
    detail: text.optional(),
    cwd: text.optional(),
    tool: z
      .strictObject({
        title: text.optional(),
        description: text.optional(),
        inputSchema: schemaObject.optional(),
      })
      .optional(),
    risk: z.enum(['low', 'normal', 'high']).optional(),
    expiresInMs,
    choices: z
      .array(
        z.enum([
          'approve',
          'approve_session',
          'approve_for',
          'approve_rule',
          'edit',
          'reject',
          'reject_with_reason',
          'reject_and_stop',
          'respond',
        ]),
      )
      .optional(),
    inputSchema: schemaObject.optional(),
    rules: z.array(z.strictObject({ id: text, label: text })).optional(),
    sessionId: text.optional(),
    callId: text.optional(),
  }),
  askClarification: z.strictObject({
    question: text,
    context: text.optional(),
    suggestedAnswers: z.array(text).optional(),
    expiresInMs,
  }),
  elicit: z.strictObject({
    serverName: text,
    message: text,
    fieldName: text.optional(),
    sensitive: z.boolean().optional(),
    isConfirmation: z.boolean().optional(),
    requestedSchema: schemaObject.optional(),
    url: text.optional(),
    expiresInMs,
  }),
  reopen: item,
  done: item,
  failed: z.strictObject({ requestId: text, reason: text }),
  cancel: z.strictObject({ call }),
  notify: z.strictObject({ title: text, body: text }),
  pending: z.strictObject({}),
  devices: z.strictObject({}),
  renameDevice: z.strictObject({ deviceId: text, name: text }),
  revokeDevice: device,
  startPairing: z.strictObject({ ttlMs: z.number().optional() }),
  confirmPairing: z.strictObject({ call, deviceId: text, code: text }),
  confirmUnverified: z.strictObject({ call, deviceId: text }),
  refusePairing: z.strictObject({ call, deviceId: text }),
  stopPairing: z.strictObject({ call }),
  status: z.strictObject({}),
  shutdown: z.strictObject({}),
} as const;

export type Method = keyof typeof PARAMS;
export type Params<M extends Method> = z.infer<(typeof PARAMS)[M]>;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(PARAMS, name);
}

/** @throws CountersignError `invalid_request` that names the member, never its value. */
export function readParams<M extends Method>(method: M, params: unknown): Params<M> {
  const parsed = PARAMS[method].safeParse(params ?? {});
  if (parsed.success) return parsed.data as Params<M>;
  const issue = parsed.error.issues[0];
  const where = issue?.path.map(String).join('.') || 'the parameters';
  throw new CountersignError(
    'invalid_request',
    `${method}: ${where} cannot be used (${issue?.code ?? 'invalid'}).`,
  );
}
