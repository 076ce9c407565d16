/** Clients that send exactly what a test says, good or bad. Must not know any provider. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { request } from 'node:https';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** An HTTP/2 connection whose errors surface in its requests alone. */
export function openHttp2(url: string, ca: string): ClientHttp2Session {
  return connect(url, { ca }).on('error', () => {});
}

/** One HTTP/2 request; rejects when the stream ends without an answer. */
export function sendHttp2(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string | Buffer = '',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    const chunks: Buffer[] = [];
    let answer: Record<string, unknown> | undefined;
    stream.on('response', (response) => {
      answer = response;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      if (answer === undefined) reject(new Error('no answer'));
      else
        resolve({
          status: Number(answer[':status']),
          headers: answer,
          body: Buffer.concat(chunks).toString(),
        });
    });
    stream.end(body);
  });
}

/** One HTTP/1.1 request on a connection of its own; rejects when there is no whole answer. */
export function sendHttp1(
  url: string,
  ca: string,
  headers: Record<string, string>,
  body: string | Buffer = '',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, ca, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

export function ecKeys(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A compact JWS with whatever is in it. ES256 for EC keys, RS256 for RSA keys. */
export function signJwt(header: object, claims: object, key: KeyObject): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
