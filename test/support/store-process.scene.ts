/** The keys and the message of `store-process.ts`, known to the test that looks for them afterwards. */
const key = (fill: number) => new Uint8Array(32).fill(fill);
const [namespaceId, agent, device] = [key(1), key(2), key(3)];
const now = 1_700_000_000_000;

export const STORE_PROCESS = {
  namespaceId,
  agent,
  device,
  tokenHash: key(4),
  window: new Uint8Array(16).fill(5),
  now,
  message: {
    namespaceId,
    sender: agent,
    recipient: device,
    nonce: new Uint8Array(12).fill(6),
    ciphertext: new Uint8Array(2000).fill(7),
    now,
    expiresAt: now + 86_400_000,
    limits: { messages: 1_000_000, bytes: 2 ** 40 },
  },
} as const;
