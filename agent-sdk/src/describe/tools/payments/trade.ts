/** Orders at an exchange or a shop in words: which side, how much of what, at which price. */

import { type DescribeContext, end, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { and, high, shown, type Told } from '../told.js';

const SYMBOL = [
  ...listOf('symbol ticker product_id asset pair instrument from_token token_in input_mint'),
  ...listOf('symbol_or_asset_id stock market from_asset_id'),
];
const AMOUNT = [
  ...listOf('quantity qty shares size amount notional amount_in base_size quote_size units'),
  ...listOf('amount_in_dollars from_amount'),
];
const TARGET = ['to_token', 'token_out', 'output_mint', 'to_asset_id', 'to_asset'];

export function toldTrade(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = ownName(toolName);
  const symbol = given.word(...SYMBOL);
  const order = /cancel/.test(name) ? given.words('order_id', 'order_ids', 'client_order_id', 'id') : [];
  const amount = given.word(...AMOUNT);
  const everything = /all/.test(name);
  if (symbol === undefined && order.length === 0 && !(everything && Object.keys(given.args).length === 0))
    return undefined;
  if (symbol !== undefined && amount === undefined && !/close|cancel/.test(name)) return undefined;
  const said = given.text('side', 'action', 'order_side');
  const side = said ?? (/buy/.test(name) ? 'buy' : /sell/.test(name) ? 'sell' : undefined);
  const target = given.word(...TARGET);
  const price = given.word('limit_price', 'price', 'stop_price');
  const type = given.text('order_type', 'type');
  return {
    summary: [
      ...verbOf(name, side),
      ...and(' ', amount),
      ...and(' ', symbol),
      ...and(' for ', target),
      ...and(' at ', price),
      ...and(' ', order[0]),
    ],
    blocks: [
      ...[
        ...shown('Side', side),
        ...shown('Amount', amount),
        ...shown('Of', symbol),
        ...shown('For', target),
        ...shown('Price', price),
      ],
      ...[...shown('Kind', type), ...shown('Order', order.length > 0 ? order.join('\n') : undefined)],
    ],
    reasons: [high(/cancel/.test(name) ? 'withdraws an order' : 'trades with real means')],
    least: 'high',
  };
}

function verbOf(name: string, side: string | undefined): SummaryPart[] {
  if (/cancelall/.test(name)) return ['Cancel all orders'];
  if (/closeall/.test(name)) return ['Close all positions'];
  if (/cancel/.test(name)) return ['Cancel order'];
  if (/close/.test(name)) return ['Close position'];
  if (side === undefined) return [/swap/.test(name) ? 'Swap' : 'Order'];
  return [end(side.charAt(0).toUpperCase() + side.slice(1).toLowerCase())];
}
