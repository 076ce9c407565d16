/** What an unforeseen error may be called in a log or a message: its text may hold anything, its name does not. */

const MAX_NAME_CHARS = 64;

/** Its code, such as `ENOSPC`, or the name of its class. */
export function errorName(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const known = [code, name].find((one) => typeof one === 'string');
  return typeof known === 'string' ? known.slice(0, MAX_NAME_CHARS) : 'unknown';
}
