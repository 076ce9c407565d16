/** Reads whatever a person pasted or scanned to pair. Must not know what happens with the offer. */
import { decodeQrJson } from './pairing-json.js';
import { decodeCompact } from './pairing-link.js';
import { checkedOffer, invalidLink, type PairingOffer } from './pairing-offer.js';

/** UTF-16 units of a pasted text; the longest link of ours has about 900 and its app URL. */
export const MAX_PAIRING_TEXT = 16_384;

/** The value of `p` in a link, a fragment, or bare. */
function compactPart(text: string): string {
  const fragment = text.includes('#') ? text.slice(text.indexOf('#') + 1) : text;
  const named = fragment.split('&').find((part) => part.startsWith('p='));
  if (named !== undefined) return named.slice(2);
  if (text.includes('#') || /[^A-Za-z0-9_-]/.test(text)) throw invalidLink('it has no #p= part');
  return text;
}

/**
 * The offer in a link of any app URL, in a bare fragment (`#p=…`, `p=…` or its value alone), or in the JSON form.
 * Does not look at the clock: compare `exp` yourself.
 * @throws CountersignError `invalid_link`; the message says what is wrong and holds nothing of the link.
 */
export async function parsePairing(text: string): Promise<PairingOffer> {
  const trimmed = text.trim();
  if (trimmed === '') throw invalidLink('it is empty');
  if (trimmed.length > MAX_PAIRING_TEXT) throw invalidLink('it is too long');
  return checkedOffer(
    trimmed.startsWith('{') ? decodeQrJson(trimmed) : await decodeCompact(compactPart(trimmed)),
  );
}
