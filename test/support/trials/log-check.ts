/**
 * Whether a line of the relay's log holds nothing but what it may (01 §8): known fields, each of its own shape. What is
 * not of that shape may have come from a peer. Must not know which secrets were planted.
 */

const WORD = /^[a-z][a-z0-9_]{0,31}$/;
const SHORT_ID = /^[0-9a-f]{8}$/;

const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  level: Number.isInteger,
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value),
  event: isWord,
  msg: (value) => typeof value === 'string' && /^a (peer dialled a name|forwarded header came)/.test(value),
  namespace: isShortId,
  peer: isShortId,
  recipient: isShortId,
  role: isWord,
  code: isWord,
  by: isWord,
  reason: isWord,
  operation: isWord,
  outcome: isWord,
  provider: isWord,
  app: isWord,
  platform: isWord,
  closeCode: isCount,
  status: isCount,
  devices: isCount,
  revoked: isCount,
  messages: isCount,
  namespaces: isCount,
  again: (value) => typeof value === 'boolean',
};

/** What is wrong with the line; undefined when nothing is. */
export function problemOfLine(line: string): string | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return `the log holds a line that is no JSON: ${line.slice(0, 200)}`;
  }
  const odd = Object.entries(fields).find(([name, value]) => !FIELDS[name]?.(value));
  return odd && `the log holds ${odd[0]}: ${JSON.stringify(odd[1]).slice(0, 200)}`;
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && WORD.test(value);
}

function isShortId(value: unknown): boolean {
  return typeof value === 'string' && SHORT_ID.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value);
}
