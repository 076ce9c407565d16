/** Reads a pairing link for the person to look at. Sends nothing. */
import { CountersignError, parseUrl } from '@countersign/protocol';
import { NO_EXPIRY, type PairingOffer, parsePairing } from '@countersign/protocol/e2e';
import { t, type Words } from '../i18n/i18n.js';

export interface ReadOffer {
  offer?: PairingOffer;
  /** A code of the error catalogue. */
  problem?: string;
}

export async function readOffer(link: string, now = Date.now()): Promise<ReadOffer> {
  try {
    const offer = await parsePairing(link.trim());
    const isOver = offer.exp !== NO_EXPIRY && offer.exp * 1000 < now;
    return isOver ? { offer, problem: 'link_expired' } : { offer };
  } catch (error) {
    return { problem: codeOf(error) };
  }
}

export function codeOf(error: unknown): string {
  return error instanceof CountersignError ? error.code : 'unavailable';
}

const KNOWN = [
  'invalid_link',
  'link_expired',
  'pairing_closed',
  'not_found',
  'relay_binding',
  'unsupported',
  'rate_limited',
  'unavailable',
  'storage_full',
] as const;

/** What went wrong with a link, in a sentence that says what to do. */
export function linkProblem(code: string): string {
  const known = KNOWN.find((one) => one === code) ?? 'unavailable';
  return t(`pair.problem.${known}` satisfies Words);
}

/** Host and port of a relay, as a person compares them. */
export function hostOf(relayUrl: string): string {
  return parseUrl(relayUrl)?.host ?? relayUrl;
}
