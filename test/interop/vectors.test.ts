/** The published vectors, reproduced by code that shares nothing with the protocol package. */
import { describe, expect, it } from 'vitest';
import ours from '../../protocol/vectors/countersign-v1.json' with { type: 'json' };
import family from '../../protocol/vectors/relay-v2.json' with { type: 'json' };
import { Channel } from './peer/channel.js';
import {
  challengeText,
  commitment,
  identityOf,
  namespaceOf,
  nonceOf,
  pairingCode,
  sessionKey,
  sha256,
  sharedSecret,
  verifySignature,
} from './peer/crypto.js';
import { readLink, writeLink } from './peer/invitation.js';
import { canonical, itemDigest, receiptHolds, receiptText } from './peer/items.js';

const hex = (text: string) => Buffer.from(text, 'hex');
const { inputs, outputs } = family;
const agent = identityOf(hex(inputs.seed_agent));
const device = identityOf(hex(inputs.seed_client));
const namespaceId = namespaceOf(agent.ed25519);
const shared = sharedSecret(agent.xScalar, device.x25519);
const token = hex(ours.pairing_token);

describe('vectors of the compatible family', () => {
  it('derives both identities from their seeds', () => {
    expect([agent.xScalar, agent.x25519, agent.edSeed, agent.ed25519].map((b) => b.toString('hex'))).toEqual([
      outputs.V1_agent_x25519_priv,
      outputs.V2_agent_x25519_pub,
      outputs.V3_agent_ed25519_priv,
      outputs.V4_agent_ed25519_pub,
    ]);
    expect(
      [device.xScalar, device.x25519, device.edSeed, device.ed25519].map((b) => b.toString('hex')),
    ).toEqual([
      outputs.V5_client_x25519_priv,
      outputs.V6_client_x25519_pub,
      outputs.V7_client_ed25519_priv,
      outputs.V8_client_ed25519_pub,
    ]);
  });

  it('derives namespace, shared secret and session key, the same from both ends', () => {
    expect(namespaceId.toString('hex')).toBe(outputs.V9_namespace_id);
    expect(shared.toString('hex')).toBe(outputs.V10_shared_secret);
    expect(sharedSecret(device.xScalar, agent.x25519)).toEqual(shared);
    expect(sessionKey(shared).toString('hex')).toBe(outputs.V11_aes_key);
  });

  it('seals and opens both directions byte for byte', () => {
    const key = sessionKey(shared);
    const atAgent = {
      key,
      namespaceId,
      me: agent.ed25519,
      peer: device.ed25519,
      sends: 'to-device' as const,
    };
    const atDevice = {
      key,
      namespaceId,
      me: device.ed25519,
      peer: agent.ed25519,
      sends: 'to-agent' as const,
    };
    const down = new Channel(atAgent).seal(inputs.plaintext_a2c, 'plain', BigInt(inputs.counter_a2c));
    const up = new Channel(atDevice).seal(inputs.plaintext_c2a, 'plain', BigInt(inputs.counter_c2a));
    expect(down.nonce.toString('hex')).toBe(outputs.V12_nonce_a2c);
    expect(down.ciphertext.toString('base64')).toBe(outputs.V14_sealed_a2c_base64);
    expect(nonceOf('to-agent', 1n).toString('hex')).toBe(outputs.V15_nonce_c2a);
    expect(up.ciphertext.toString('base64')).toBe(outputs.V17_sealed_c2a_base64);
    expect(new Channel(atDevice).openText(down)).toBe(inputs.plaintext_a2c);
    expect(new Channel(atAgent).openText(up)).toBe(inputs.plaintext_c2a);
  });

  it('signs a challenge', () => {
    const text = challengeText(hex(inputs.challenge_nonce));
    expect(device.sign(text).toString('hex')).toBe(outputs.V18_auth_sig_client);
  });
});

describe('vectors of our own formats', () => {
  it('names the window and shows the code', () => {
    expect(sha256('countersign test token').toString('hex')).toBe(ours.pairing_token);
    expect(sha256(token).subarray(0, 16).toString('hex')).toBe(ours.window);
    const keys = { agentEd: agent.ed25519, agentX: agent.x25519, deviceEd: device.ed25519 };
    expect(pairingCode(shared, { ...keys, deviceX: device.x25519, token })).toBe(ours.code);
  });

  it('binds a challenge to the address of the relay', () => {
    const r = hex(ours.challenge.r);
    const nonce = Buffer.concat([r, commitment(r, ours.challenge.authority)]);
    expect(nonce.toString('hex')).toBe(ours.challenge.nonce);
  });

  it('reads and writes the compact link', () => {
    const { base64url, relay_url, name, exp } = ours.compact_link;
    const invitation = readLink(`#p=${base64url}`);
    expect(invitation).toMatchObject({ relayUrl: relay_url, name, exp, bound: true });
    expect(invitation.supports).toHaveLength(9);
    expect([invitation.agentEd, invitation.agentX, invitation.token]).toEqual([
      agent.ed25519,
      agent.x25519,
      token,
    ]);
    expect(writeLink(invitation, '')).toBe(`#p=${base64url}`);
  });

  it('digests the item over its canonical text', () => {
    const { entry, digest, canonical: text } = ours.item;
    const whole = { ...entry, kind: 'approval', namespace_id: outputs.V9_namespace_id };
    expect(canonical(whole)).toBe(text);
    expect(itemDigest('approval', namespaceId, { ...entry, digest, truncated: true })).toBe(digest);
  });

  it('signs the receipt, and no other device stands behind it', () => {
    const { unsigned, canonical: text, sig } = ours.receipt;
    expect(canonical(unsigned)).toBe(text);
    expect(device.sign(receiptText(unsigned)).toString('hex')).toBe(sig);
    expect(receiptHolds({ ...unsigned, sig }, device.ed25519)).toBe(true);
    expect(receiptHolds({ ...unsigned, sig }, agent.ed25519)).toBe(false);
    expect(verifySignature(agent.ed25519, receiptText(unsigned), hex(sig))).toBe(false);
  });
});
