/** The strict end: nothing leaves that 03 does not describe. Must not seal or send. */
import type { z } from 'zod';
import { CountersignError } from '../frames/index.js';
import { contradiction } from './answers.js';
import { isJsonObject } from './members.js';
import { notificationFault } from './messages.js';
import { type Payload, sendSchemas } from './payload.js';
import { KINDS } from './words.js';

/**
 * The payload itself, once it is known to be as 03 wants it.
 * @throws CountersignError `invalid_request`; the message and `details.member` name the first member at fault
 * and never hold a value.
 */
export function checkSend(payload: unknown): Payload {
  const kind = KINDS.find((known) => isJsonObject(payload) && payload.kind === known);
  if (kind === undefined) throw fault('kind', 'is not a kind of payload');
  const checked: z.ZodSafeParseResult<Payload> = sendSchemas[kind].safeParse(payload);
  if (!checked.success) throw faultOf(checked.error);
  const member = contradictingMember(checked.data);
  if (member !== undefined) throw fault(member, 'does not go with the other members');
  return payload as Payload;
}

function contradictingMember(payload: Payload): string | undefined {
  if (payload.kind === 'approval_response') return contradiction(payload);
  if (payload.kind === 'notification') return notificationFault(payload);
  if (
    payload.kind === 'elicitation_response' &&
    payload.action !== 'accept' &&
    payload.content !== undefined
  ) {
    return 'content';
  }
  return undefined;
}

function faultOf(error: z.ZodError): CountersignError {
  const issue = error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue?.path;
  return fault(
    (path ?? []).map(String).join('.'),
    issue?.code === 'custom' ? issue.message : 'is not as expected',
  );
}

function fault(member: string, what: string): CountersignError {
  return new CountersignError('invalid_request', `A payload cannot be sent: ${member} ${what}.`, {
    details: { member },
  });
}
