/** Tools that move money, under the names that payment services, banks, exchanges and wallets give them. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldBilling } from './billing.js';
import { toldOrder } from './order.js';
import { toldPayment } from './pay.js';
import { toldTrade } from './trade.js';

const PAY = [
  ...listOf('charge_card buy_domain purchase_domain register_domain create_charge_card pay_with_card'),
  ...listOf('create_payment make_payment send_payment execute_payment submit_payment pay payment'),
  ...listOf('process_payment transfer transfer_funds transfer_money create_transfer send_money'),
  ...listOf('wire_transfer bank_transfer initiate_transfer create_payment_intent create_charge'),
  ...listOf('charge_card charge_customer capture_payment capture_payment_intent'),
  ...listOf('confirm_payment_intent create_payout payout send_payout withdraw withdraw_funds'),
  ...listOf('pay_invoice pay_bill create_refund refund refund_payment issue_refund pay_order'),
  ...listOf('capture_order donate tip create_wire send_transaction send_eth send_sol send_btc'),
  ...listOf('transfer_tokens native_transfer erc20_transfer send_token transfer_sol transfer_token'),
  ...listOf('wallet_send send_crypto sign_transaction approve_token schedule_payment'),
  ...listOf('schedule_transaction create_paypal_payout send_invoice_payment top_up checkout purchase'),
  ...listOf('buy buy_item place_order_payment'),
];
const TRADE = [
  ...listOf('place_order create_order submit_order buy_stock sell_stock place_stock_order place_trade'),
  ...listOf('execute_trade place_market_order place_limit_order swap swap_tokens trade'),
  ...listOf('place_crypto_order sell market_order limit_order close_position close_all_positions'),
  ...listOf('cancel_order cancel_all_orders place_option_market_order'),
];
const ORDER = listOf('create_order place_order submit_order create_draft_order checkout purchase');
const BILLING = [
  ...listOf('create_payment_link create_invoice create_invoice_item finalize_invoice send_invoice'),
  ...listOf('create_price create_product create_coupon cancel_subscription create_subscription'),
  ...listOf('update_subscription update_dispute accept_dispute_claim void_invoice cancel_invoice'),
  ...listOf('create_payment_method send_invoice_reminder'),
];

export const paymentTools: readonly DescriberEntry[] = [
  ...entries(PAY, toldPayment),
  ...entries(TRADE, toldTrade),
  ...entries(ORDER, toldOrder),
  ...entries(BILLING, toldBilling),
];
