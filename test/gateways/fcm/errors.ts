/** How FCM and Google's API front end word their errors. Must not know when they are due. */
import type { Answer } from '../kit/traffic.js';

/** `FcmError` codes of the HTTP v1 reference, with HTTP status and google.rpc status. */
export const FCM_ERRORS = {
  INVALID_ARGUMENT: [400, 'INVALID_ARGUMENT'],
  UNREGISTERED: [404, 'NOT_FOUND'],
  SENDER_ID_MISMATCH: [403, 'PERMISSION_DENIED'],
  THIRD_PARTY_AUTH_ERROR: [401, 'UNAUTHENTICATED'],
  QUOTA_EXCEEDED: [429, 'RESOURCE_EXHAUSTED'],
  UNAVAILABLE: [503, 'UNAVAILABLE'],
  INTERNAL: [500, 'INTERNAL'],
  UNSPECIFIED_ERROR: [500, 'UNKNOWN'],
} as const;

/** What the API front end says without any `FcmError` ("bare"). */
export const GOOGLE_STATUSES = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type FcmErrorCode = keyof typeof FCM_ERRORS;
export type GoogleStatus = keyof typeof GOOGLE_STATUSES;

export interface FcmRefusal {
  readonly answer: Answer;
  /** For the developer who reads the record. */
  readonly why: string;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=UTF-8' };

/** An error with its `FcmError`; `details` are further members of `error.details`. */
export function fcmError(code: FcmErrorCode, message: string, details: readonly object[] = []): Answer {
  const [httpStatus, status] = FCM_ERRORS[code];
  const fcm = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code };
  return envelope(httpStatus, status, message, [fcm, ...details]);
}

export function bareError(status: GoogleStatus, message: string): Answer {
  return envelope(GOOGLE_STATUSES[status], status, message, []);
}

export function refuseFcm(code: FcmErrorCode, why: string): FcmRefusal {
  return { answer: fcmError(code, why), why };
}

export function refuseBare(status: GoogleStatus, why: string): FcmRefusal {
  return { answer: bareError(status, why), why };
}

/** An error of the OAuth token endpoint (RFC 6749 §5.2). */
export function oauthError(status: number, error: string, description: string): FcmRefusal {
  const body = JSON.stringify({ error, error_description: description });
  return { answer: { status, headers: JSON_TYPE, body }, why: description };
}

export function jsonAnswer(value: object): Answer {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}

/** The page Google's front end shows when nothing behind it answers: no JSON. */
export const HTML_502: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: '<!DOCTYPE html>\n<html lang=en>\n<title>Error 502 (Server Error)!!1</title>\n<p>Try again in 30 seconds.\n',
};

function envelope(code: number, status: string, message: string, details: readonly object[]): Answer {
  const error = { code, message, status, ...(details.length > 0 && { details }) };
  return { status: code, headers: JSON_TYPE, body: JSON.stringify({ error }) };
}
