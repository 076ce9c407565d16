/** Whether a decimal number survives in a double. Must not know where it came from. */

interface Decimal {
  negative: boolean;
  /** Significant digits without zeros at either end; empty for zero. */
  digits: string;
  /** Power of ten of the last significant digit. */
  exponent: number;
}

function decimalOf(lexeme: string): Decimal {
  const [mantissa = '', power = '0'] = lexeme.toLowerCase().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end--;
  const exponent = Number(power) - fraction.length + (all.length - end);
  return { negative, digits: all.slice(0, end), exponent };
}

/**
 * Whether the JSON number `lexeme`, read as `value`, still has its value when `value` is printed by ECMAScript's
 * Number::toString (the form of RFC 8785). `1.0` and `1e2` have; `0.10000000000000000001` and `1e-999` have not.
 */
export function survivesPrinting(lexeme: string, value: number): boolean {
  const before = decimalOf(lexeme);
  const after = decimalOf(String(value));
  if (before.digits !== after.digits) return false;
  if (before.digits === '') return true;
  return before.exponent === after.exponent && before.negative === after.negative;
}
