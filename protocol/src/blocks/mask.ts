/**
 * Masks secrets wherever they occur (03 §4). Must not decide what a secret is (secret-names.ts, secret-shapes.ts),
 * nor how a text is laid out.
 */
import { jsonText } from './json-text.js';
import { isSecretMember } from './secret-names.js';
import { findJsonSecrets, findSecrets, looksLikeSecret } from './secret-shapes.js';
import { type Block, rowName, type View } from './view.js';

/** What stands in place of a secret, whatever its length. */
export const MASK = '••••••••';

/** More secrets than this in one item: every text is masked whole, since looking for them all would take too long. */
export const MAX_SECRETS = 200;

/** A shorter secret is masked only where no letter or digit touches it, else a single letter would shred all text. */
const MIN_ANYWHERE_UNITS = 4;

/** Lines of a secret of several lines are masked one by one too, from this length on. */
const MIN_LINE_UNITS = 8;

/** The mask; takes the secret so that no caller invents its own. */
export function maskSecret(_secret: string): string {
  return MASK;
}

/** Whether a block's value is masked until the person asks for it. */
export function isSecretBlock(block: Block): boolean {
  return saysItIsSecret(block) || looksLikeSecret(block.value);
}

function saysItIsSecret(block: Block): boolean {
  if (block.value_type === 'secret') return true;
  return block.value_type !== 'boolean' && isSecretMember(rowName(block), block.value);
}

/**
 * Every secret that a view shows: of secret blocks, under secret names, and tokens inside other values. Values among
 * `searched`, as {@link collectJsonSecrets} leaves them, are known already and not searched a second time.
 */
export function collectSecrets(view: View, searched?: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const block of view.blocks) {
    const inside = searched?.has(block.value) === true ? [] : findSecrets(block.value);
    // As looksLikeSecret, without a second search.
    if (saysItIsSecret(block) || inside.includes(block.value.trim())) found.add(block.value);
    for (const secret of inside) found.add(secret);
    for (const secret of isJsonBlock(block) ? findJsonSecrets(block.value) : []) found.add(secret);
  }
  return [...found].filter((secret) => secret.trim() !== '');
}

function isJsonBlock(block: Block): boolean {
  return block.value_type === 'json' || block.lang === 'json';
}

/**
 * Every secret in a JSON value: all strings and numbers under a secret name, and tokens inside other strings.
 * Never throws and does not recurse, however deep the value. `searched` gets every string that was looked through.
 */
export function collectJsonSecrets(value: unknown, searched = new Set<string>()): string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const open: { value: unknown; secret: boolean }[] = [{ value, secret: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === 'object' && next.value !== null) {
      if (seen.has(next.value)) continue;
      seen.add(next.value);
      const named = !Array.isArray(next.value);
      for (const [name, member] of Object.entries(next.value)) {
        open.push({ value: member, secret: next.secret || (named && isSecretMember(name, member)) });
      }
    } else addLeaf({ found, searched }, next.value, next.secret);
  }
  return [...found].filter((secret) => secret.trim() !== '');
}

interface Search {
  readonly found: Set<string>;
  readonly searched: Set<string>;
}

function addLeaf({ found, searched }: Search, leaf: unknown, secret: boolean): void {
  if (secret && (typeof leaf === 'string' || typeof leaf === 'number')) found.add(String(leaf));
  if (typeof leaf !== 'string' || searched.has(leaf)) return;
  searched.add(leaf);
  for (const token of findSecrets(leaf)) found.add(token);
}

/**
 * The text with every secret masked, also where it stands in its JSON or percent-encoded form. With more than
 * {@link MAX_SECRETS} secrets the whole text is masked. Never throws.
 */
export function maskIn(text: string, secrets: Iterable<string>): string {
  return createMasker(secrets)(text);
}

/** {@link maskIn} for many texts with the same secrets. */
export function createMasker(secrets: Iterable<string>): (text: string) => string {
  const wanted = new Set<string>();
  for (const secret of secrets) {
    if (secret.trim() !== '') wanted.add(secret);
    if (wanted.size > MAX_SECRETS) return (text) => (text === '' ? text : MASK);
  }
  if (wanted.size === 0) return (text) => text;
  const forms = [...new Set([...wanted].flatMap(formsOf))];
  return (text) =>
    coverSpans(
      text,
      forms.flatMap((form) => spansOf(text, form)),
    );
}

/** The ways one secret may be written in a text. */
function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const whole = [secret, secret.trim(), jsonText(secret).slice(1, -1), percentEncoded(secret)];
  return [...whole, ...(lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE_UNITS) : [])];
}

function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

type Span = readonly [start: number, end: number];

function spansOf(text: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
    const end = at + form.length;
    if (form.length >= MIN_ANYWHERE_UNITS || standsAlone(text, at, end)) spans.push([at, end]);
  }
  return spans;
}

function standsAlone(text: string, start: number, end: number): boolean {
  const touches = /[\p{L}\p{N}]/u;
  return !touches.test(text.charAt(start - 1)) && !touches.test(text.charAt(end));
}

/** Overlapping spans become one mask, so that no rest of one secret stays beside another. */
function coverSpans(text: string, spans: Span[]): string {
  let out = '';
  let shownTo = 0;
  let maskedTo = -1;
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    if (start >= maskedTo) {
      out += text.slice(shownTo, start) + MASK;
    }
    maskedTo = Math.max(maskedTo, end);
    shownTo = maskedTo;
  }
  return out + text.slice(shownTo);
}
