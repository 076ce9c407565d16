/**
 * The published test vectors as checks that any runtime can run: Node, a browser page, a worker. One check per
 * vector; each compares what this code makes, byte for byte. Must not know a test framework or where vectors lie.
 */
import {
  challengeNonce,
  challengeText,
  cryptoReady,
  isBoundTo,
  namespaceIdOf,
  signEd25519,
  verifyEd25519,
  windowOf,
} from '../auth/index.js';
import { bytesEqual, FEATURES, fromHex, toHex, utf8 } from '../frames/index.js';
import { canonicalize } from '../json/index.js';
import { toBase64Url } from './base64url.js';
import { frameBody, unframe } from './framing.js';
import { canonicalItem, type ItemKindName, itemDigest } from './freeze.js';
import { deriveIdentity, type IdentityKeys, sharedSecret } from './keys.js';
import { pairingCode } from './pairing-code.js';
import { encodeLink } from './pairing-link.js';
import type { PairingOffer } from './pairing-offer.js';
import { parsePairing } from './parse-pairing.js';
import { receiptAnswer, signReceipt, type UnsignedReceipt, verifyReceipt } from './receipt.js';
import type { ChannelParams } from './suite.js';
import { aadV2, nonceV2, sessionKeyV2, suiteV2 } from './suite-v2.js';

/** `relay-v2.json`: the published vectors of the compatible family. */
export interface RelayVectors {
  inputs: {
    seed_agent: string;
    seed_client: string;
    challenge_nonce: string;
    counter_a2c: number;
    counter_c2a: number;
    plaintext_a2c: string;
    plaintext_c2a: string;
  };
  /** V1 to V18. */
  outputs: Record<string, string>;
}

/** `countersign-v1.json`: ours, over the keys of the other. */
export interface CountersignVectors {
  pairing_token: string;
  window: string;
  code: string;
  challenge: { r: string; authority: string; nonce: string };
  compact_link: { relay_url: string; name: string; exp: number; base64url: string };
  item: { kind: string; entry: object; canonical: string; digest: string };
  receipt: { unsigned: object; canonical: string; sig: string };
}

export interface KnownAnswer {
  readonly name: string;
  /** Resolves to what came out; it must equal `expected`. */
  readonly actual: () => Promise<string>;
  readonly expected: string;
}

interface Setting {
  agent: IdentityKeys;
  device: IdentityKeys;
  namespaceId: Uint8Array;
  atAgent: ChannelParams;
  atDevice: ChannelParams;
}

function bytes(hex: string): Uint8Array {
  const out = fromHex(hex, hex.length / 2);
  if (out === undefined) throw new Error('A vector is not hex');
  return out;
}

/** Base64url without padding, for comparing the vectors' padded standard base64. */
const plainBase64 = (text: string) => text.replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_');

async function settingOf({ inputs }: RelayVectors): Promise<Setting> {
  await cryptoReady;
  const agent = await deriveIdentity(bytes(inputs.seed_agent));
  const device = await deriveIdentity(bytes(inputs.seed_client));
  const namespaceId = await namespaceIdOf(agent.ed25519Public);
  const both = { namespaceId, agentEd25519: agent.ed25519Public, deviceEd25519: device.ed25519Public };
  return {
    agent,
    device,
    namespaceId,
    atAgent: { ...both, role: 'agent', mySecret: agent.x25519Secret, theirPublic: device.x25519Public },
    atDevice: { ...both, role: 'device', mySecret: device.x25519Secret, theirPublic: agent.x25519Public },
  };
}

/** Seals as the sender and, when the receiver reads it back, gives the ciphertext; else says so. */
async function sealedText(
  from: ChannelParams,
  to: ChannelParams,
  counter: number,
  plaintext: string,
): Promise<string> {
  const sender = await suiteV2.open(from);
  const receiver = await suiteV2.open(to);
  const { nonce, ciphertext } = await sender.seal(counter, frameBody(plaintext, 'none'));
  const opened = await receiver.open(nonce, ciphertext);
  const body = opened && (await unframe(opened.framed)).ok;
  const readable = opened?.counter === counter && body !== undefined && bytesEqual(body, utf8(plaintext));
  return readable ? toBase64Url(ciphertext) : 'the other end cannot read it';
}

type Answers = Record<string, (setting: Setting) => Promise<string> | string>;

function relayAnswers({ inputs }: RelayVectors): Answers {
  const nonce = bytes(inputs.challenge_nonce);
  return {
    V1_agent_x25519_priv: ({ agent }) => toHex(agent.x25519Secret),
    V2_agent_x25519_pub: ({ agent }) => toHex(agent.x25519Public),
    V3_agent_ed25519_priv: ({ agent }) => toHex(agent.ed25519Secret.subarray(0, 32)),
    V4_agent_ed25519_pub: ({ agent }) => toHex(agent.ed25519Public),
    V5_client_x25519_priv: ({ device }) => toHex(device.x25519Secret),
    V6_client_x25519_pub: ({ device }) => toHex(device.x25519Public),
    V7_client_ed25519_priv: ({ device }) => toHex(device.ed25519Secret.subarray(0, 32)),
    V8_client_ed25519_pub: ({ device }) => toHex(device.ed25519Public),
    V9_namespace_id: ({ namespaceId }) => toHex(namespaceId),
    V10_shared_secret: async ({ atDevice }) =>
      toHex(await sharedSecret(atDevice.mySecret, atDevice.theirPublic)),
    V11_aes_key: async ({ atAgent }) => toHex(await sessionKeyV2(atAgent.mySecret, atAgent.theirPublic)),
    V12_nonce_a2c: () => toHex(nonceV2('agent', inputs.counter_a2c)),
    V13_aad_a2c: ({ atAgent }) => toHex(aadV2('agent', atAgent)),
    V14_sealed_a2c_base64: ({ atAgent, atDevice }) =>
      sealedText(atAgent, atDevice, inputs.counter_a2c, inputs.plaintext_a2c),
    V15_nonce_c2a: () => toHex(nonceV2('device', inputs.counter_c2a)),
    V16_aad_c2a: ({ atAgent }) => toHex(aadV2('device', atAgent)),
    V17_sealed_c2a_base64: ({ atAgent, atDevice }) =>
      sealedText(atDevice, atAgent, inputs.counter_c2a, inputs.plaintext_c2a),
    V18_auth_sig_client: ({ device }) => {
      const signature = signEd25519(challengeText(nonce), device.ed25519Secret);
      const valid = verifyEd25519(signature, challengeText(nonce), device.ed25519Public);
      return valid ? toHex(signature) : 'it does not verify';
    },
  };
}

/** V1 to V18 of `relay-v2.json`. A vector this code does not know becomes a check that fails. */
export function relayKnownAnswers(vectors: RelayVectors): KnownAnswer[] {
  const answers = relayAnswers(vectors);
  const setting = settingOf(vectors);
  setting.catch(() => {}); // Every check reports it.
  return Object.entries(vectors.outputs).map(([name, value]) => ({
    name,
    expected: name.endsWith('_base64') ? plainBase64(value) : value,
    actual: async () => {
      const answer = answers[name];
      return answer === undefined ? 'unknown vector' : answer(await setting);
    },
  }));
}

function offerOf(vectors: CountersignVectors, setting: Setting): PairingOffer {
  const { relay_url, name, exp } = vectors.compact_link;
  return {
    relayUrl: relay_url,
    namespaceId: setting.namespaceId,
    agentEd25519: setting.agent.ed25519Public,
    agentX25519: setting.agent.x25519Public,
    token: bytes(vectors.pairing_token),
    name,
    exp,
    supports: FEATURES.slice(0, 9),
    relayBinding: true,
  };
}

/** The link's fragment, if reading it gives the same link again. */
async function linkFragment(vectors: CountersignVectors, setting: Setting): Promise<string> {
  const link = encodeLink(offerOf(vectors, setting));
  const again = encodeLink(await parsePairing(link));
  return link === again ? link.slice(link.indexOf('#p=') + 3) : 'it reads back differently';
}

async function codeOf(vectors: CountersignVectors, { agent, device, ...setting }: Setting): Promise<string> {
  const shared = await sharedSecret(agent.x25519Secret, device.x25519Public);
  return pairingCode({
    shared,
    namespaceId: setting.namespaceId,
    agentEd25519: agent.ed25519Public,
    deviceEd25519: device.ed25519Public,
    agentX25519: agent.x25519Public,
    deviceX25519: device.x25519Public,
    token: bytes(vectors.pairing_token),
  });
}

async function nonceOf({ challenge }: CountersignVectors): Promise<string> {
  const nonce = await challengeNonce(bytes(challenge.r), challenge.authority);
  return (await isBoundTo(nonce, challenge.authority)) ? toHex(nonce) : 'it is not bound';
}

async function receiptSignature(vectors: CountersignVectors, { device }: Setting): Promise<string> {
  const unsigned = vectors.receipt.unsigned as UnsignedReceipt;
  const answer = await receiptAnswer({ v: 1, kind: 'x', id: 'x', ts: 0, ...unsigned.answer });
  const receipt = await signReceipt({ ...unsigned, answer }, device.ed25519Secret);
  const verdict = await verifyReceipt(receipt, device.ed25519Public);
  return verdict === 'ok' ? receipt.sig : verdict;
}

/** Every value of `countersign-v1.json` that this folder makes. */
export function countersignKnownAnswers(relay: RelayVectors, vectors: CountersignVectors): KnownAnswer[] {
  const setting = settingOf(relay);
  setting.catch(() => {});
  const { item, receipt } = vectors;
  const kind = item.kind as ItemKindName;
  const answers: [name: string, expected: string, actual: (setting: Setting) => Promise<string> | string][] =
    [
      ['window', vectors.window, async () => toHex(await windowOf(bytes(vectors.pairing_token)))],
      ['code', vectors.code, (at) => codeOf(vectors, at)],
      ['challenge nonce', vectors.challenge.nonce, () => nonceOf(vectors)],
      ['compact link', vectors.compact_link.base64url, (at) => linkFragment(vectors, at)],
      ['item, canonical', item.canonical, (at) => canonicalItem(kind, toHex(at.namespaceId), item.entry)],
      ['item digest', item.digest, (at) => itemDigest(kind, toHex(at.namespaceId), item.entry)],
      ['receipt, canonical', receipt.canonical, () => canonicalize(receipt.unsigned)],
      ['receipt signature', receipt.sig, (at) => receiptSignature(vectors, at)],
    ];
  return answers.map(([name, expected, actual]) => ({
    name,
    expected,
    actual: async () => actual(await setting),
  }));
}
