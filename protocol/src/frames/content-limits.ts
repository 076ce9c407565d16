/**
 * Every number of what is sealed (02, 03), with its unit in its name. Here because the lists of both ends must
 * agree and the door has no dependency; must not know how anything is sealed, shown or decided.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The sealed channel (02 §2). */
export const SEAL = {
  seedBytes: 32,
  keyBytes: 32,
  tagBytes: 16,
  nonceBytes: 12,
  nonceDirectionBytes: 4,
  nonceCounterBytes: 8,
  aadBytes: 96,
  headerBytes: 2,
  /** A counter starts at no less than the unix time in seconds times this. */
  countersPerSecond: 2 ** 20,
  maxReservedCounters: 64,
  /** Receive window: so many counters in each of the newest epochs; an epoch is `countersPerSecond` counters. */
  windowCounters: 1024,
  windowEpochs: 8,
  maxInflatedBytes: 8 * 1024 * 1024,
  /** Sizes queued plaintexts are padded to; above the last, multiples of `paddingStepBytes`. */
  paddingClassesBytes: [512, 1024, 2048],
  paddingStepBytes: 4096,
  maxQueuedPlaintextBytes: 61_440,
  maxLivePlaintextBytes: 523_248,
} as const;

/** Items and numbers in them (02 §4). */
export const FROZEN = {
  /** Arguments with a number of this size or more travel as text. */
  numberLimit: 2 ** 53,
} as const;

/** Pairing between agent and device (02 §1, §5). */
export const PAIRING = {
  codeChars: 8,
  codeBits: 40,
  codeRounds: 600_000,
  maxCodeMisses: 3,
  /** The agent keeps a window's key so long for a device that comes out of it. */
  windowKeyMs: 24 * HOUR,
  clientPairedBelievedMs: 24 * HOUR,
  maxHeldFromUnconfirmed: 16,
  maxLinkStringBytes: 255,
  /** After pairing a device logs in as client for the first time after this, then slower up to the second. */
  firstLoginDelayMs: SECOND,
  maxLoginDelayMs: 60 * SECOND,
} as const;

/** Items, notifications and answers (03 §1–§5). */
export const CONTENT = {
  payloadVersion: 1,
  viewVersion: 1,
  /** `ts` further than this from the agent's clock is refused. */
  maxClockDistanceMs: 7 * DAY,
  maxSummaryCodePoints: 120,
  maxSummaryBytes: 480,
  maxTitleCodePoints: 64,
  maxTitleBytes: 256,
  /** Of a notification without an item, as JSON. */
  maxInfoBodyBytes: 1024,
  defaultExpiresInMs: DAY,
  defaultHighRiskExpiresInMs: HOUR,
  minExpiresInMs: 5 * SECOND,
  maxExpiresInMs: 6 * DAY,
  reopenGraceMs: 5 * SECOND,
  maxBypassSeconds: 86_400,
  quarterHourBypassSeconds: 900,
  /** `bypass_secs` of a bypass for the session. */
  sessionBypassSeconds: 0,
  /** An answer older than this counts as once. */
  freshAnswerMs: 2 * MINUTE,
  /** An answer without an ack is sent again after each of these, then at later logins. */
  answerRetryMs: [10 * SECOND, 60 * SECOND],
  rememberedAnswersMs: 30 * DAY,
  describerMs: 50,
} as const;
