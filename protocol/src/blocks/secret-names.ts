/**
 * Which names say that their value is a secret: argument names, environment variables, headers, row names. Must not
 * look at values.
 */

/** Words that make a name secret wherever they stand in it. */
const ANYWHERE = new Set([
  'apikey',
  'cvc',
  'cvv',
  'passcode',
  'passphrase',
  'passwd',
  'password',
  'passwords',
  'privatekey',
  'pwd',
  'secretkey',
]);

/** Words that make a name secret as its last word: `client_secret` is one, `secret_name` is not. */
const LAST = new Set([
  'authorization',
  'bearer',
  'cookie',
  'cookies',
  'credential',
  'credentials',
  'jwt',
  'mnemonic',
  'otp',
  'secret',
  'secrets',
  'token',
]);

/** Whole names. */
const WHOLE = new Set([
  'auth',
  'card_no',
  'card_number',
  'cardnumber',
  'connection_string',
  'credit_card',
  'credit_card_number',
  'pass',
  'pin',
  'pin_code',
  'seed_phrase',
]);

/** What a key is for, when it is a secret one. */
const KEY_OF = new Set([
  'access',
  'account',
  'api',
  'auth',
  'encryption',
  'master',
  'private',
  'secret',
  'service',
  'session',
  'signing',
  'ssh',
  'storage',
]);

/** Tokens that are a place in a list, not a secret. */
const TOKEN_OF_A_LIST = new Set(['continuation', 'cursor', 'next', 'page', 'pagination', 'sync']);

/** Longest name looked at; longer ones are text, not names. */
const MAX_NAME_UNITS = 128;

/** Words of a name in lower case: `clientSecret`, `client-secret` and `CLIENT_SECRET` are the same two. */
function wordsOf(name: string): string[] {
  const spaced = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();
  return spaced.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** What is known of names: the same few come again and again. Forgotten when full, since names are hostile. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 2_000;

/** Whether a value under this name is a secret. Never throws. */
export function isSecretKey(name: string): boolean {
  if (name.length > MAX_NAME_UNITS) return false;
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const secret = isSecretName(name);
  known.set(name, secret);
  return secret;
}

/** Every word above has one of these in it: most names need no closer look. */
const SUSPICIOUS =
  /pass|pwd|key|token|secret|credential|cookie|jwt|auth|bearer|otp|cvc|cvv|pin|seed|mnemonic|connection|card/i;

function isSecretName(name: string): boolean {
  if (!SUSPICIOUS.test(name)) return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (words.some((word) => ANYWHERE.has(word)) || WHOLE.has(words.join('_'))) return true;
  if (last === 'token') return !TOKEN_OF_A_LIST.has(before);
  if (last === 'key') return KEY_OF.has(before);
  return LAST.has(last);
}

/** What trades with tokens calls by its sign: `{"token": "ETH"}`. No token that opens anything is so short. */
const CURRENCY_SIGN = /^[A-Z]{2,5}$/;

/** Whether this value under this name is a secret. Never throws. */
export function isSecretMember(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || !isSecretKey(name)) return false;
  return !(typeof value === 'string' && CURRENCY_SIGN.test(value) && /token$/i.test(name));
}
