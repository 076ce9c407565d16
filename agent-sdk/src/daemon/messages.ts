/**
 * The lines of `agent.sock`, version 1: one JSON object each. Parses them; must not know who answers.
 *
 * client: `{v, id, method, params?}`
 * owner:  `{v, hello}` first, then `{v, id, note}` while a call runs, `{v, id, result}` or `{v, id, error}` at its end,
 *         and `{v, event, data?}` for what happens to the agent. `id` is null when the line could not be read.
 */
import { CountersignError, isErrorCode } from '@countersign/protocol';
import { z } from 'zod';
import { SOCKET_VERSION } from './limits.js';

const callId = z.int().nonnegative();
const errorSchema = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
const problemSchema = z.object({ code: z.string(), message: z.string() });

const callSchema = z.object({ id: callId, method: z.string().max(64), params: z.unknown().optional() });

const helloSchema = z.object({
  program: z.string(),
  pid: z.int(),
  /** Whether it lets clients end it: a daemon does, a program that is an agent itself does not. */
  endable: z.boolean(),
  since: z.string(),
  namespaceId: z.string(),
  relayUrl: z.string().optional(),
  connected: z.boolean(),
  problem: problemSchema.optional(),
});

const replySchema = z.object({
  hello: helloSchema.optional(),
  id: callId.nullable().optional(),
  note: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: errorSchema.optional(),
  event: z.string().optional(),
  data: z.unknown().optional(),
});

export type Call = z.infer<typeof callSchema>;
/** Who serves the socket, and how its agent stands. */
export type Hello = z.infer<typeof helloSchema>;
export type Reply = z.infer<typeof replySchema>;
export type WireError = z.infer<typeof errorSchema>;

export function writeLine(message: Record<string, unknown>): string {
  return `${JSON.stringify({ v: SOCKET_VERSION, ...message })}\n`;
}

/** Version and JSON of a line, from either side. @throws CountersignError `bad_request`, `unsupported` (with the line's `id`). */
function open(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new CountersignError('bad_request', 'A line is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CountersignError('bad_request', 'A line is not a JSON object.');
  }
  const message = value as Record<string, unknown>;
  if (message.v !== SOCKET_VERSION) throw foreignVersion(message);
  return message;
}

function foreignVersion(message: Record<string, unknown>): CountersignError {
  const id = callId.safeParse(message.id);
  return new CountersignError(
    'unsupported',
    `This socket speaks version ${SOCKET_VERSION}. Update the older of the two programs, or end the daemon.`,
    { details: { supported: SOCKET_VERSION, ...(id.success ? { id: id.data } : {}) } },
  );
}

/** @throws CountersignError `bad_request`, `unsupported`. */
export function readCall(line: string): Call {
  const parsed = callSchema.safeParse(open(line));
  if (!parsed.success) throw new CountersignError('bad_request', 'A call needs a numeric id and a method.');
  return parsed.data;
}

/** @throws CountersignError `bad_request`, `unsupported`. */
export function readReply(line: string): Reply {
  const parsed = replySchema.safeParse(open(line));
  if (!parsed.success)
    throw new CountersignError('bad_request', 'The owner of the directory sent a line nobody knows.');
  return parsed.data;
}

/** An error as it travels. What is no CountersignError has a text of unknown content, which stays here. */
export function wireError(error: unknown): WireError {
  if (error instanceof CountersignError) {
    return { code: error.code, message: error.message, details: { ...error.details } };
  }
  return { code: 'unavailable', message: 'The owner of the directory failed at this call.' };
}

export function errorFromWire({ code, message, details }: WireError): CountersignError {
  return new CountersignError(isErrorCode(code) ? code : 'protocol', message, { details });
}
