/**
 * One POST over https with an end: total time by the signal, a bounded answer, no redirect followed. Must not know
 * what is posted.
 */
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Agent, request } from 'node:https';

export interface BoundedPost {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array | string;
  /** The connection is cut at the first byte beyond. */
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal;
}

/** Headers are believed as soon as they are there; `body` is what came of it, up to the bound. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * `unsent`: no connection came about. `unsafe`: a guarded lookup refused the address. `lost`: there was a connection,
 * and nobody can say what the other side did.
 */
export type PostResult = Answer | 'unsent' | 'unsafe' | 'lost';

/** Never rejects. */
export function boundedPost({
  url,
  agent,
  headers,
  body,
  maxAnswerBytes,
  signal,
}: BoundedPost): Promise<PostResult> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers: { ...headers }, signal });
    watchAnswer(sent, maxAnswerBytes, resolve);
    sent.end(body);
  });
}

/** Tells what became of a request that somebody else may have made. Calls `done` more than once. */
export function watchAnswer(
  request: ClientRequest,
  maxAnswerBytes: number,
  done: (result: PostResult) => void,
): void {
  let answer: (() => Answer) | undefined;
  request.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    let body = '';
    answer = () => ({ status, headers, body });
    const ended = () => done({ status, headers, body });
    response.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1', 0, Math.max(0, maxAnswerBytes - body.length));
      if (body.length >= maxAnswerBytes) request.destroy();
    });
    response.on('end', ended).on('error', ended).on('close', ended);
  });
  // Whatever ends it after the headers, the status was said.
  request.on('error', (error) => done(answer?.() ?? failureOf(error)));
}

/** Before sending: name not found, nobody listening, no route, or a lookup of ours that refused. */
function failureOf({
  syscall,
  code,
}: Error & { syscall?: string; code?: string }): 'unsent' | 'unsafe' | 'lost' {
  if (code === UNSAFE_ADDRESS) return 'unsafe';
  return syscall === 'connect' || syscall === 'getaddrinfo' ? 'unsent' : 'lost';
}

/** Code of the error with which a guarded lookup refuses a name. */
export const UNSAFE_ADDRESS = 'ERR_UNSAFE_ADDRESS';
