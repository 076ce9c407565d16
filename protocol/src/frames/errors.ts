/**
 * The one error catalogue: what each code means for whoever meets it. Codes are contract and pinned by a test;
 * texts are free. Must not know who raises or shows an error.
 */

export interface ErrorTraits {
  /** Who can do something about it: the other peer, the relay's operator, the host program, or the person. */
  readonly fault: 'peer' | 'relay' | 'host' | 'person';
  /** `never`: the same attempt fails again. `after`: later, or once something changed. `reconnect`: on a new connection. */
  readonly retry: 'never' | 'after' | 'reconnect';
  /** With which the connection is closed when this error ends it (01 §4); absent when it never does. */
  readonly closeCode?: number;
  readonly httpStatus: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Name of the counter that counts it. */
  readonly metric: string;
}

/** Close codes of the relay's WebSocket (01 §4; RFC 6455 §7.4). */
export const CLOSE = {
  pairingDone: 1000,
  goingAway: 1001,
  policy: 1008,
  tooBig: 1009,
  tryLater: 1013,
  displaced: 4001,
  revoked: 4002,
  idle: 4003,
  tooSlow: 4004,
} as const;

/** Codes that travel in `auth_error` and `error` frames (01 §7). */
export const WIRE_CODES = [
  'challenge_timeout',
  'invalid_signature',
  'unauthorized',
  'not_found',
  'pairing_closed',
  'rate_limited',
  'payload_too_large',
  'queue_full',
  'bad_request',
  'unavailable',
] as const;

/** Codes an SDK raises itself. */
export const LOCAL_CODES = [
  'directory_in_use',
  'state_corrupt',
  'state_locked',
  'state_newer',
  'state_permissions',
  'storage_full',
  'seed_permissions',
  'relay_binding',
  'not_paired',
  'unsupported',
  'invalid_request',
  'invalid_link',
  'link_expired',
  'clock_skew',
  'no_device',
  'closed',
  'timeout',
  'node_too_old',
  'port_in_use',
  'protocol',
] as const;

export type WireCode = (typeof WIRE_CODES)[number];
export type ErrorCode = WireCode | (typeof LOCAL_CODES)[number];

type Row = readonly [
  ErrorTraits['fault'],
  ErrorTraits['retry'],
  ErrorTraits['httpStatus'],
  ErrorTraits['logLevel'],
  closeCode?: number,
];

const TABLE: Readonly<Record<ErrorCode, Row>> = {
  challenge_timeout: ['peer', 'reconnect', 408, 'info', CLOSE.policy],
  invalid_signature: ['peer', 'never', 401, 'warn', CLOSE.policy],
  unauthorized: ['person', 'after', 403, 'info', CLOSE.policy],
  not_found: ['peer', 'never', 404, 'info', CLOSE.policy],
  pairing_closed: ['person', 'never', 410, 'info', CLOSE.policy],
  rate_limited: ['peer', 'after', 429, 'warn', CLOSE.tryLater],
  payload_too_large: ['peer', 'never', 413, 'info', CLOSE.tooBig],
  queue_full: ['peer', 'after', 507, 'info'],
  bad_request: ['peer', 'never', 400, 'info', CLOSE.policy],
  unavailable: ['relay', 'after', 503, 'error', CLOSE.tryLater],
  directory_in_use: ['person', 'after', 423, 'error'],
  state_corrupt: ['person', 'never', 500, 'error'],
  state_locked: ['person', 'after', 423, 'error'],
  state_newer: ['person', 'never', 500, 'error'],
  state_permissions: ['person', 'never', 500, 'error'],
  storage_full: ['person', 'after', 507, 'error'],
  seed_permissions: ['person', 'never', 500, 'error'],
  relay_binding: ['relay', 'never', 421, 'error'],
  not_paired: ['person', 'never', 409, 'info'],
  unsupported: ['peer', 'never', 501, 'info'],
  invalid_request: ['host', 'never', 400, 'warn'],
  invalid_link: ['person', 'never', 400, 'info'],
  link_expired: ['person', 'never', 410, 'info'],
  clock_skew: ['person', 'after', 409, 'warn'],
  no_device: ['person', 'after', 409, 'info'],
  closed: ['host', 'never', 409, 'debug'],
  timeout: ['relay', 'after', 504, 'info'],
  node_too_old: ['person', 'never', 500, 'error'],
  port_in_use: ['person', 'after', 409, 'error'],
  protocol: ['relay', 'reconnect', 502, 'warn'],
};

function traitsOf(code: ErrorCode): ErrorTraits {
  const [fault, retry, httpStatus, logLevel, closeCode] = TABLE[code];
  const traits = { fault, retry, httpStatus, logLevel, metric: `countersign_error_${code}_total` };
  return Object.freeze(closeCode === undefined ? traits : { ...traits, closeCode });
}

/** Every code with its traits, frozen. Look codes from outside up only after {@link isErrorCode}. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorTraits>> = Object.freeze(
  Object.fromEntries([...WIRE_CODES, ...LOCAL_CODES].map((code) => [code, traitsOf(code)])) as Record<
    ErrorCode,
    ErrorTraits
  >,
);

/** Whether a text, of whatever origin, is a code of the catalogue. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Whether a text, of whatever origin, is a code that may travel in a frame. */
export function isWireCode(code: string): code is WireCode {
  return (WIRE_CODES as readonly string[]).includes(code);
}

/** The one exception type of the SDKs and the relay. The message never holds a secret, a key, a token or a payload. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  readonly code: ErrorCode;
  /** Facts a program may act on, such as `pid`, `skewMs` or `limitBytes`. */
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      details?: Readonly<Record<string, string | number | boolean>> | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = { ...options.details };
  }

  get retry(): ErrorTraits['retry'] {
    return ERRORS[this.code].retry;
  }
}
