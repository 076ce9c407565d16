/** A payment in words: how much and to whom, first. Always grave. */

import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import { asObject, type Given } from '../given.js';
import { hiddenReasons, high, type Reason, shown, type Told, watchOut } from '../told.js';
import { lookalike } from '../web/letters.js';
import { type Amount, amountIn } from './amount.js';

const TO = [
  ...listOf('recipient to payee destination to_account recipient_id beneficiary creditor to_address'),
  ...listOf('destination_account recipient_email recipient_name receiver iban account_number'),
  ...listOf('destination_address merchant vendor spender address customer customer_id wallet'),
];
const FROM = [
  ...listOf('from from_account source source_account payer debtor wallet_id account_id payment_method'),
  ...listOf('card_id from_address'),
];
const ABOUT = [
  ...listOf('description memo reference note reason message purpose statement_descriptor'),
  ...listOf('remittance_information subject'),
];
const THING = [
  ...listOf('invoice invoice_id payment_intent payment_intent_id charge charge_id order_id payment_id'),
  ...listOf('transaction_id bill_id item item_id product_id product capture_id domain domain_name'),
];
const STRIPE = /stripe|payment_?intent|create_?charge/i;

interface Payment {
  readonly amount: Amount | undefined;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly about: string | undefined;
  readonly thing: string | undefined;
}

export function toldPayment(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = toolName.slice(0, 200);
  const things = given.every(...THING);
  const thing = things.length > 0 ? things.join(', ') : undefined;
  const minor =
    STRIPE.test(name) || given.has('payment_intent', 'charge') || things.some((one) => one.startsWith('pi_'));
  const payment = {
    amount: amountIn(given, minor),
    to: partyIn(given, TO),
    from: partyIn(given, FROM),
    about: given.text(...ABOUT),
    thing,
  };
  const known = payment.amount !== undefined || thing !== undefined;
  if (!known) return undefined;
  return {
    summary: summaryOf(payment, ownName(name)),
    blocks: [
      ...shown('Amount', payment.amount?.words),
      ...[
        ...shown('To', payment.to),
        ...shown('For', thing),
        ...shown('From', payment.from),
        ...shown('Reference', payment.about),
      ],
      ...watchOut([payment.to, payment.about]),
    ],
    reasons: reasonsOf(payment, ownName(name)),
    least: 'high',
  };
}

/** Everything that says who: a name, an account, an object of them. */
function partyIn(given: Given, names: readonly string[]): string | undefined {
  const words = given.every(...names);
  if (words.length > 0) return words.join(', ');
  const object = given.object(...names);
  if (object === undefined) return undefined;
  const entries = Object.entries(object);
  return entries.every(([, value]) => typeof value === 'string')
    ? entries.map(([name, value]) => `${name} ${value}`).join(', ')
    : jsonText(asObject(object));
}

function verbOf(name: string): string {
  if (/refund/.test(name)) return 'Refund';
  if (/transfer|wire|send/.test(name)) return 'Send';
  if (/withdraw|payout/.test(name)) return 'Pay out';
  if (/charge|capture|intent/.test(name)) return 'Charge';
  if (/approve/.test(name)) return 'Let spend';
  return /buy|purchase|checkout/.test(name) ? 'Buy for' : 'Pay';
}

function summaryOf({ amount, to, about, thing }: Payment, name: string): SummaryPart[] {
  const verb = verbOf(name);
  if (verb === 'Buy for' && thing !== undefined)
    return [
      'Buy ',
      middle(thing),
      ...(amount === undefined ? [] : [' for ', end(amount.words)]),
      ...(to === undefined ? [] : [' from ', middle(to)]),
      ...(about === undefined ? [] : [': ', end(about)]),
    ];
  return [
    `${verb} `,
    ...(amount === undefined ? [verb === 'Refund' ? 'everything' : 'what is due'] : [end(amount.words)]),
    ...(to === undefined
      ? []
      : [verb === 'Charge' ? ' from ' : verb === 'Let spend' ? ' by ' : ' to ', middle(to)]),
    ...(thing === undefined ? [] : [' for ', middle(thing)]),
    ...(about === undefined ? [] : [': ', end(about)]),
  ];
}

function reasonsOf({ amount, to, about }: Payment, name: string): Reason[] {
  const like = to === undefined || to.length > 200 ? undefined : lookalike(to.replaceAll(' ', ''));
  return [
    high(
      /refund/.test(name)
        ? 'money goes back'
        : `moves ${amount?.words ?? 'money'}${to === undefined ? '' : ` to ${to.slice(0, 60)}`}`,
    ),
    ...(amount?.odd === true ? [high('the amount is not above zero')] : []),
    ...(like === undefined ? [] : [high(`the receiver looks like ${like} but is written in other letters`)]),
    ...hiddenReasons([to, about]),
  ];
}
