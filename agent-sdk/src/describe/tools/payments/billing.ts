/** Bills, prices, subscriptions: what is asked from whom, and what ends. */

import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { high, normal, type Reason, shown, type Told } from '../told.js';
import { amountIn } from './amount.js';

const WHO = ['customer', 'customer_id', 'recipient_email', 'customer_email', 'email', 'recipient'];
const THING = listOf(
  'invoice invoice_id subscription subscription_id price product dispute dispute_id id name',
);

export function toldBilling(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = ownName(toolName);
  const who = given.word(...WHO);
  const amount = given.has('amount', 'unit_amount', 'amount_off', 'total')
    ? amountIn(given, true)
    : undefined;
  const thing = given.word(...THING.filter((one) => one !== 'name'));
  const called = given.text('name', 'description');
  if (who === undefined && amount === undefined && thing === undefined && called === undefined)
    return undefined;
  return {
    summary: [
      ...verbOf(toolName),
      ...part(' ', amount?.words),
      ...part(' ', thing),
      ...part(' for ', who),
      ...part(': ', called),
    ],
    blocks: [
      ...shown('Amount', amount?.words),
      ...shown('Which', thing),
      ...shown('Customer', who),
      ...shown('Called', called, 'text'),
    ],
    reasons: reasonsOf(name),
  };
}

/** `create_invoice` → "Create invoice" */
function verbOf(toolName: string): SummaryPart[] {
  const own = toolName.slice(0, 200).replace(/^.*(?:__|[./:])/s, '');
  const words = own
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
  return [end(words.charAt(0).toUpperCase() + words.slice(1))];
}

function part(words: string, text: string | undefined): SummaryPart[] {
  return text === undefined ? [] : [words, middle(text)];
}

function reasonsOf(name: string): Reason[] {
  if (/cancel|void|delete/.test(name)) return [high('ends something that customers pay for or rely on')];
  if (/finalize|send/.test(name)) return [high('sends a bill that cannot be taken back')];
  if (/dispute/.test(name)) return [high('answers a dispute over money')];
  return [normal('changes what customers are asked to pay')];
}
