/** Orders made of items or amounts, as payment services and shops take them (PayPal's `create_order`). */
import { type DescribeContext, end, type SummaryPart } from '../../describer.js';
import { asObject, type Given } from '../given.js';
import { high, listed, shown, type Told } from '../told.js';

const ITEMS = ['items', 'line_items', 'products', 'cart'];
const MAX_ITEMS = 50;

export function toldOrder(given: Given, _context: DescribeContext): Told | undefined {
  const currency = given.text('currency_code', 'currency');
  const list = given.list(...ITEMS)?.slice(0, MAX_ITEMS);
  const items = list?.map((one) => itemWords(one, currency)).filter((one) => one !== undefined) ?? [];
  const units = given.list('purchase_units')?.slice(0, MAX_ITEMS) ?? [];
  const amounts = units.map(amountWords).filter((one) => one !== undefined);
  const named = [...items, ...amounts];
  // One that is not understood keeps all of them as they were given.
  if (named.length === 0 || items.length < (list?.length ?? 0) || amounts.length < units.length)
    return undefined;
  const payer = given.text('payer_email', 'customer', 'customer_id', 'email', 'buyer');
  const to = payer === undefined ? [] : [' for ', end(payer)];
  return {
    summary: ['Create order: ', ...wordsOf(named), ...to],
    blocks: [
      ...listed('Items', items),
      ...listed('Amounts', amounts),
      ...shown('For', payer),
      ...shown('Currency', currency),
    ],
    reasons: [high('makes an order to be paid')],
    least: 'high',
  };
}

function wordsOf(named: readonly string[]): SummaryPart[] {
  const parts = named.slice(0, 2).flatMap((one, at) => [...(at === 0 ? [] : ['; ']), end(one)]);
  return named.length > 2 ? [...parts, ` +${named.length - 2}`] : parts;
}

/** `{name, quantity, itemCost}` → "2 × Cup, 9.5 EUR each" */
function itemWords(one: unknown, currency: string | undefined): string | undefined {
  const item = asObject(one);
  const name = plain(item?.name ?? item?.title ?? item?.product_id ?? item?.sku);
  if (item === undefined || name === undefined) return undefined;
  const quantity = plain(item.quantity ?? item.qty);
  const cost = plain(item.itemCost ?? item.unit_price ?? item.price);
  const price = cost === undefined ? '' : `, ${cost}${currency === undefined ? '' : ` ${currency}`} each`;
  const about = plain(item.description);
  const words = `${quantity === undefined ? '' : `${quantity} × `}${name}${price}`;
  return about === undefined ? words : `${words}: ${about}`;
}

/** `{amount: {currency_code, value}}` → "19.00 EUR" */
function amountWords(one: unknown): string | undefined {
  const amount = asObject(asObject(one)?.amount);
  const value = plain(amount?.value);
  const currency = plain(amount?.currency_code);
  return value === undefined || currency === undefined ? undefined : `${value} ${currency}`;
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
