/** Shapes that more than one gateway asks for. Knows no provider. */

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unpadded base64url with a length that some bytes have; the empty text counts as none. */
export function isBase64Url(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text) && text.length % 4 !== 1;
}

/** The value of JSON text, or undefined where it is not an object. */
export function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(STRICT_UTF8.decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A Retry-After header in one of its two forms (RFC 9110 §10.2.3). */
export function retryAfterHeader(value: number | Date | undefined): Record<string, string> {
  if (value === undefined) return {};
  return { 'retry-after': typeof value === 'number' ? String(value) : value.toUTCString() };
}

/** Decimal digits without sign, fraction or leading zero, within the safe integers. */
export function isIntegerText(text: string): boolean {
  return /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text));
}
