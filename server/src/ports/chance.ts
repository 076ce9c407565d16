/** Randomness and hashing that the pure domain is handed. */
export interface Random {
  /** Cryptographically random bytes. */
  bytes(count: number): Uint8Array;
}

export interface Hash {
  /** SHA-256 (FIPS 180-4). */
  sha256(bytes: Uint8Array): Uint8Array;
  /** HMAC with SHA-256 (RFC 2104). */
  hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array;
  /** Constant-time for equal lengths. */
  equal(a: Uint8Array, b: Uint8Array): boolean;
}
