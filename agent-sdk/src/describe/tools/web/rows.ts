/** An address in a summary and in rows. Must not know tools. */
import type { Block } from '@countersign/protocol/blocks';
import { middle, type SummaryPart } from '../../describer.js';
import { row } from '../../rows.js';
import { type Reason, shown } from '../told.js';
import { type Address, readAddress } from './address.js';

/** A host up to this length is shown whole, however little room is left for the rest. */
const MAX_WHOLE_HOST_UNITS = 70;

export interface Place {
  /** The host whole, the path cut where it has to be. */
  readonly summary: readonly SummaryPart[];
  readonly blocks: readonly Block[];
  readonly reasons: readonly Reason[];
  readonly address: Address | undefined;
}

/** What is no address is shown as it is. */
export function placeOf(text: string, label = 'Address'): Place {
  const address = readAddress(text);
  if (address === undefined)
    return { summary: [middle(text)], blocks: shown(label, text, 'url'), reasons: [], address };
  const misleading = address.reasons.filter(({ level }) => level === 'high');
  return {
    summary: summaryOf(address),
    blocks: [
      ...(address.host === '' ? [] : [row('Host', address.host)]),
      ...shown('Host reads', address.reads),
      ...shown(label, text, 'url'),
      ...misleading.map(({ reason }) => row('Watch out', reason)),
    ],
    reasons: address.reasons,
    address,
  };
}

function summaryOf({ host, scheme, path, text }: Address): SummaryPart[] {
  if (host === '') return [middle(text)];
  const prefix = scheme === 'https:' ? '' : `${scheme}//`;
  const whole = host.length <= MAX_WHOLE_HOST_UNITS ? `${prefix}${host}` : middle(`${prefix}${host}`);
  return path === '' || path === '/' ? [whole] : [whole, middle(path)];
}
