/**
 * Secrets by their look: the shapes that issuers of tokens publish, credentials in URLs and headers, and
 * assignments to a secret name. Must not know blocks. Every pattern is linear or bounded: the text is hostile.
 */
import { isSecretKey } from './secret-names.js';

/** A token stands alone: no letter, digit or `_` directly before it. */
const START = '(?<![A-Za-z0-9_])';

/** Shapes of whole tokens, each with the issuer that documents it. */
const TOKENS = [
  'sk-[A-Za-z0-9]{20,}', // OpenAI
  'sk-(?:admin|ant|or|proj|svcacct)-[A-Za-z0-9_-]{20,}', // OpenAI, Anthropic, OpenRouter
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}', // Stripe
  'whsec_[A-Za-z0-9+/=]{16,}', // Stripe webhooks
  'gh[oprsu]_[A-Za-z0-9]{30,}', // GitHub
  'github_pat_[A-Za-z0-9_]{22,}', // GitHub
  'gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_.-]{20,}', // GitLab
  'xox[abeoprs]-[A-Za-z0-9-]{10,}', // Slack
  'xapp-[A-Za-z0-9-]{10,}', // Slack
  '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])', // AWS key ids
  'AIza[A-Za-z0-9_-]{35}', // Google API keys
  'ya29\\.[A-Za-z0-9_-]{20,}', // Google OAuth
  'GOCSPX-[A-Za-z0-9_-]{20,}', // Google OAuth clients
  'npm_[A-Za-z0-9]{36}', // npm
  'pypi-[A-Za-z0-9_-]{32,}', // PyPI
  'hf_[A-Za-z0-9]{30,}', // Hugging Face
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}', // SendGrid
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}', // Shopify
  'do[opr]_v1_[a-f0-9]{64}', // DigitalOcean
  'hv[bs]\\.[A-Za-z0-9_-]{20,}', // HashiCorp Vault
  'dp\\.(?:pt|st|ct)\\.[A-Za-z0-9.]{20,}', // Doppler
  'lin_api_[A-Za-z0-9]{32,}', // Linear
  'ntn_[A-Za-z0-9]{32,}', // Notion
  'AGE-SECRET-KEY-1[A-Z0-9]{50,}', // age
  '[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])', // Telegram bots
];

/** A JSON Web Token (RFC 7519): three base64url parts, the first two JSON objects. */
const JWT = '(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{6,}\\.eyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{8,}';

/**
 * A private key in PEM (RFC 7468), with line breaks as they are or written `\n`; without its end, what looks like it. No
 * key has another mark inside, so nothing is searched twice.
 */
const PEM = [
  '-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----',
  '(?:(?:(?!-----)[\\s\\S]){1,8192}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY-----|[A-Za-z0-9+/=\\s\\\\]{16,8192})',
].join('');

const WHOLE_TOKEN = new RegExp(`${START}(?:${TOKENS.join('|')})|${JWT}|${PEM}`, 'g');

/** A payment card's number (ISO/IEC 7812) as it is printed or typed: 16 digits, in fours perhaps, or 15 of American Express. */
const CARD =
  /(?<![\w.+-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|6[45]\d\d|35\d\d)(?:([ -]?)\d{4})(?:\1\d{4}){2}|3[47]\d\d([ -]?)\d{6}\2\d{5})(?![\w-]|\.\d)/g;
const MANY_DIGITS = /\d{4}[ -]?\d{4}/;

/** The password of a URL's userinfo (RFC 3986 §3.2.1). */
const USERINFO = /:\/\/[^\s/:@"'<>]{0,256}:([^\s/@"'<>]{1,256})@/g;

/** The credentials of an Authorization header (RFC 9110 §11.4). */
const HEADER = /\b(?:bearer|basic|token) +([A-Za-z0-9._~+/=-]{12,4096})/gi;

/**
 * `NAME=value`, `name: value`, `"name": "value"`: the value has none of the characters a shell acts on. It is only
 * looked at, not consumed: it may hold the next assignment.
 */
const ASSIGNMENT =
  /(?<![A-Za-z0-9_.-])-{0,2}([A-Za-z_][A-Za-z0-9_.-]{0,63})["']? {0,3}[=:] {0,3}["']?(?=([A-Za-z0-9_+/=.~!@#%^*-]{6,512}))/g;

/** `--name value`. */
const FLAG =
  /(?<![A-Za-z0-9_.-])--([A-Za-z][A-Za-z0-9_.-]{0,63}) {1,3}["']?(?=([A-Za-z0-9_+/=.~!@#%^*-]{6,512}))/g;

/** What a shell does not act on. */
const PLAIN = '[A-Za-z0-9_+/=.~!@#%^*-]';

/** Passwords that stand behind a short option, or behind a name and a colon, of programs known to take them so. */
const LOGINS = new RegExp(
  [
    `\\bsshpass {1,3}-p {0,3}["']?(${PLAIN}{4,256})`,
    `\\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\\b[^\\n|;&]{0,256}? -p["']?(${PLAIN}{4,256})`,
    `\\bcurl\\b[^\\n|;&]{0,512}? (?:-u|--user)[ =]{0,3}["']?[A-Za-z0-9_.@-]{1,128}:(${PLAIN}{4,256})`,
    `\\b(?:docker|podman|nerdctl|helm registry|oras) login\\b[^\\n|;&]{0,256}? -p[ =]{0,3}["']?(${PLAIN}{4,256})`,
  ].join('|'),
  'g',
);
const SHORT_LOGIN = / -[pu]| --user/;

/** The shortest thing any pattern finds: `://:p@`. */
const MIN_FOUND_UNITS = 6;
/** Every shape but a PEM has a word of this length, counting the signs that stand in tokens. */
const MIN_TOKEN_UNITS = 12;
const LONG_WORD = /[A-Za-z0-9_.+/=:-]{12}/;
const HEADER_WORD = /\b(?:bearer|basic|token) /i;

/** A member of JSON text whose value is a string or a number. */
const JSON_MEMBER =
  /"([^"\\]{1,128})"\s{0,16}:\s{0,16}(?:"((?:[^"\\]|\\.){1,8192})"|(-?[0-9][0-9.eE+-]{0,64}))/g;

/**
 * The secrets in a text, as they stand in it; none twice. Values of assignments count only with a digit in them, so
 * that `password: string` in a source text stays readable, and never with characters a shell acts on, so that
 * nobody hides a command behind a secret's name. Never throws.
 */
export function findSecrets(text: string): string[] {
  if (text.length < MIN_FOUND_UNITS) return [];
  const found = new Set<string>();
  if (mayHoldToken(text)) for (const match of text.matchAll(WHOLE_TOKEN)) found.add(match[0]);
  if (text.includes('://')) for (const match of text.matchAll(USERINFO)) addIf(found, match[1], true);
  if (SHORT_LOGIN.test(text))
    for (const match of text.matchAll(LOGINS))
      addIf(
        found,
        match.slice(1).find((one) => one !== undefined),
        true,
      );
  // Everything below needs a digit in its value.
  if (!hasDigit(text)) return [...found];
  if (MANY_DIGITS.test(text))
    for (const [card] of text.matchAll(CARD)) addIf(found, card, hasCheckDigit(card));
  if (HEADER_WORD.test(text))
    for (const match of text.matchAll(HEADER)) addIf(found, match[1], hasDigit(match[1]));
  if (text.includes('=') || text.includes(':'))
    for (const match of text.matchAll(ASSIGNMENT)) addIf(found, match[2], isAssignedSecret(match));
  if (text.includes('--'))
    for (const match of text.matchAll(FLAG)) addIf(found, match[2], isAssignedSecret(match));
  return [...found];
}

/** Most texts hold nothing like a token: a look at what every shape needs is much cheaper than all shapes. */
function mayHoldToken(text: string): boolean {
  return text.length >= MIN_TOKEN_UNITS && (LONG_WORD.test(text) || text.includes('-----BEGIN '));
}

/**
 * The values under secret names in JSON text, valid or not, as they stand in it and as they read. Only for text that
 * is shown as JSON: elsewhere a name in quotes says too little. Never throws.
 */
export function findJsonSecrets(text: string): string[] {
  const found = new Set<string>();
  for (const [, name = '', written, number] of text.matchAll(JSON_MEMBER)) {
    if (!isSecretKey(name)) continue;
    addIf(found, number ?? written, true);
    addIf(found, unescaped(written), true);
  }
  return [...found];
}

function unescaped(written: string | undefined): string | undefined {
  try {
    return written === undefined ? undefined : String(JSON.parse(`"${written}"`));
  } catch {
    return undefined;
  }
}

/** Whether a text, blanks around it aside, is one token of a well-known shape. Never throws. */
export function looksLikeSecret(text: string): boolean {
  const trimmed = text.trim();
  if (isCardNumber(trimmed)) return true;
  if (trimmed.length > MAX_TOKEN_UNITS || !mayHoldToken(trimmed)) return false;
  for (const match of trimmed.matchAll(WHOLE_TOKEN)) if (match[0] === trimmed) return true;
  return false;
}

function isCardNumber(text: string): boolean {
  if (text.length > MAX_CARD_UNITS) return false;
  const [found] = text.match(CARD) ?? [];
  return found === text && hasCheckDigit(found);
}

/** 16 digits and three blanks. */
const MAX_CARD_UNITS = 19;

/** The last digit of a card's number follows from the others (ISO/IEC 7812-1, Annex B): few other numbers pass. */
function hasCheckDigit(card: string): boolean {
  const digits = [...card.replace(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const weighed = at % 2 === 0 ? digit : digit * 2;
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return sum % 10 === 0;
}

/** Longer texts are no single token. */
const MAX_TOKEN_UNITS = 16_384;

function isAssignedSecret([, name, value]: RegExpMatchArray): boolean {
  return name !== undefined && hasDigit(value) && isSecretKey(name);
}

function hasDigit(text: string | undefined): boolean {
  return text !== undefined && /[0-9]/.test(text);
}

function addIf(found: Set<string>, text: string | undefined, wanted: boolean): void {
  if (wanted && text !== undefined && text !== '') found.add(text);
}
