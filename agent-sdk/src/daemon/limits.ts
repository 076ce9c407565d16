/** Every number of the local socket, with its unit. Must not know who enforces them. */

/** Version of the lines on `agent.sock`; each line carries it as `v`. */
export const SOCKET_VERSION = 1;

export const SOCKET_LIMITS = {
  /** One line in either direction, without its end. */
  maxLineBytes: 4 * 1024 * 1024,
  maxConnections: 64,
  /** Calls that one connection may have open at once. */
  maxOpenCalls: 64,
  /** Approved calls of one connection whose end can still be told; the oldest are forgotten first. */
  maxApprovedCalls: 1024,
  /** Pairing windows of one connection; the oldest ends for a new one. */
  maxPairings: 8,
  /** What is kept for a client that does not read; beyond it the client is dropped. */
  maxBufferedBytes: 8 * 1024 * 1024,
  /** `sockaddr_un` holds 104 bytes on macOS and 108 on Linux; longer paths move to a temporary directory. */
  maxPathBytes: 100,
  /** How long a client waits for the owner's first line. */
  greetingMs: 5_000,
} as const;

export const DAEMON_LIMITS = {
  /** A daemon without a client ends after this. */
  idleMs: 10 * 60 * 1000,
  /** How long a command waits for the daemon it started. */
  startMs: 20_000,
  /** How long a command waits for another program that has the directory and does not serve it. */
  ownerAnswersMs: 3_000,
  /** Between two looks at such a directory. */
  lookEveryMs: 100,
  /** Between two daemons that are tried on it. */
  startAgainMs: 1_500,
  /** A larger log is begun anew when a daemon starts. */
  maxLogBytes: 1024 * 1024,
} as const;
