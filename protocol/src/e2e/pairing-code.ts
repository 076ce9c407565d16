/** The code a person compares when pairing (02 §5). Must not know how often one may miss. */
import { platform } from '#platform';
import { concatBytes, PAIRING, utf8 } from '../frames/index.js';

/** Crockford's base 32: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BITS_PER_CHARACTER = 5;
const SAS_TAG = utf8('countersign-sas-v1');
const ZERO = new Uint8Array(1);

export interface PairingCodeInput {
  /** Raw X25519 secret of the two. */
  readonly shared: Uint8Array;
  readonly namespaceId: Uint8Array;
  readonly agentEd25519: Uint8Array;
  readonly deviceEd25519: Uint8Array;
  readonly agentX25519: Uint8Array;
  readonly deviceX25519: Uint8Array;
  readonly token: Uint8Array;
}

/**
 * 8 Crockford characters: the first 40 bits of PBKDF2-HMAC-SHA256 (RFC 8018) over the shared secret, 600,000 rounds,
 * most significant bit first. Takes a few tenths of a second.
 */
export async function pairingCode(input: PairingCodeInput): Promise<string> {
  const { namespaceId, agentEd25519, deviceEd25519, agentX25519, deviceX25519, token } = input;
  const salt = await platform.sha256(
    concatBytes(SAS_TAG, ZERO, namespaceId, agentEd25519, deviceEd25519, agentX25519, deviceX25519, token),
  );
  const bytes = await platform.pbkdf2Sha256(input.shared, salt, PAIRING.codeRounds, PAIRING.codeBits / 8);
  const bits = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return Array.from({ length: PAIRING.codeChars }, (_, index) => {
    const shift = BigInt(PAIRING.codeBits - BITS_PER_CHARACTER * (index + 1));
    return ALPHABET[Number((bits >> shift) & 31n)];
  }).join('');
}

/** What was typed as {@link pairingCode} writes it: any case, o for 0, i and l for 1, spaces and dashes anywhere. */
export function normalizeCode(typed: string): string | undefined {
  const code = typed
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  const known = [...code].every((character) => ALPHABET.includes(character));
  return known && code.length === PAIRING.codeChars ? code : undefined;
}
