/** Amounts as tools write them, without guessing: minor units are said to be such. Must not know tools. */

import { jsonText } from '@countersign/protocol/blocks';
import { listOf } from '../../list-of.js';
import { asObject, type Given } from '../given.js';

export interface Amount {
  /** As a person reads it: `1,250.00 EUR`, `5000 usd (smallest units: 50.00)`. */
  readonly words: string;
  /** Zero, or below. */
  readonly odd: boolean;
}

const AMOUNT = [
  ...listOf('amount value amount_value total total_amount sum price payment_amount transfer_amount'),
  ...listOf('amount_in_cents amount_cents amount_minor unit_amount quantity_eth lamports wei'),
  ...listOf('amount_sats amount_usd amount_money price_usd total_price'),
];
const CURRENCY = [
  ...listOf('currency currency_code asset asset_id token token_symbol symbol coin unit denomination'),
  ...listOf('token_address'),
];
const MINOR = /(?:cents|minor|lamports|wei|sats|^unit_?amount$)/i;
const NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** Undefined without an amount. `minor`: the tool counts in the smallest units, as Stripe does. */
export function amountIn(given: Given, minor = false): Amount | undefined {
  const nested = nestedAmount(given);
  if (nested !== undefined) return nested;
  const name = AMOUNT.find((one) => given.has(one));
  const value = given.word(...AMOUNT);
  if (value === undefined) return undefined;
  const currency = given.text(...CURRENCY);
  const unit = currency === undefined ? unitOf(name ?? '') : ` ${currency}`;
  const small = minor || MINOR.test(name ?? '');
  return {
    words: `${grouped(value)}${unit}${small ? smallest(value, currency) : ''}`,
    odd: Number(value) <= 0,
  };
}

/** `{amount: {value, currency_code}}`, `{amount: {amount, currency}}`. */
function nestedAmount(given: Given): Amount | undefined {
  const object =
    asObject(given.args.amount) ?? asObject(given.args.amount_money) ?? asObject(given.args.total);
  if (object === undefined) return undefined;
  const value = object.value ?? object.amount;
  const currency = object.currency_code ?? object.currency;
  given.any('amount', 'amount_money', 'total');
  const plain =
    (typeof value === 'string' || typeof value === 'number') &&
    typeof currency === 'string' &&
    Object.keys(object).length === 2;
  return plain
    ? { words: `${grouped(String(value))} ${currency}`, odd: Number(value) <= 0 }
    : { words: jsonText(object), odd: false };
}

function unitOf(name: string): string {
  const unit = /(?:^|_)(usd|eth|eur|sats|wei|lamports|cents)$/i.exec(name)?.[1];
  return unit === undefined ? '' : ` ${unit}`;
}

/** Stripe's `5000` is 50.00 for most currencies and 5000 for some: the currency says how many digits it has. */
function smallest(value: string, currency: string | undefined): string {
  if (!/^\d{1,15}$/.test(value)) return '';
  if (currency === undefined || !/^[A-Za-z]{3}$/.test(currency)) return ' (in smallest units)';
  const digits = digitsOf(currency);
  return digits === 0
    ? ''
    : ` (smallest units: ${grouped((Number(value) / 10 ** digits).toFixed(digits))} ${currency.toUpperCase()})`;
}

function digitsOf(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  );
}

/** Blanks between thousands would be lost in a line; a comma is read the same by most. */
function grouped(value: string): string {
  if (!NUMBER.test(value)) return value;
  const [whole = '', fraction] = value.split('.');
  const thousands = whole.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}
