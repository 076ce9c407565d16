/**
 * The part of a push that the phone reads: where it belongs, and the sealed notification or a wake (04 §1). Must not
 * know which provider carries it.
 */
import { toHex } from '@countersign/protocol';
import type { Push, PushAddress } from '../../../ports/index.js';

/** `c` above this never travels in a push: the phone is woken instead (04 §1). */
export const MAX_CONTENT_BASE64 = 3_500;

/** `from` is refused by FCM as a key of `data`, which is why the name is a parameter. */
export type SenderKey = 'from' | 'f';

export type Sealed = { readonly n: string; readonly c: string };

/** Either the pairing's keys or the registration's handle; a wake needs the sender no more than a handle does. */
export function addressFields(
  address: PushAddress,
  senderKey: SenderKey | undefined,
): Record<string, string> {
  if ('handle' in address) return { h: toHex(address.handle) };
  const ns = toHex(address.namespaceId);
  return senderKey === undefined ? { ns } : { ns, [senderKey]: toHex(address.sender) };
}

/** Undefined for content that is over {@link MAX_CONTENT_BASE64}. */
export function sealedFields({
  nonce,
  ciphertext,
}: Push['content'] & { kind: 'content' }): Sealed | undefined {
  const c = Buffer.from(ciphertext.buffer, ciphertext.byteOffset, ciphertext.byteLength).toString('base64');
  return c.length > MAX_CONTENT_BASE64 ? undefined : { n: toHex(nonce), c };
}

/** The envelope with `wake` as the transport writes it; undefined when the content is over the limit. */
export function envelopeOf<Wake extends true | 'true'>(
  { address, content }: Push,
  senderKey: SenderKey,
  wake: Wake,
): Record<string, string | Wake> | undefined {
  if (content.kind === 'wake') return { ...addressFields(address, undefined), wake };
  const sealed = sealedFields(content);
  return sealed && { ...addressFields(address, senderKey), ...sealed };
}

/** 32 characters for 24 bytes: within `apns-collapse-id` (64) and `Topic` (32, and decodable: Apple decodes it). */
export function collapseIdOf({ collapse }: Push): string {
  return Buffer.from(collapse).toString('base64url');
}
