import { beforeAll, describe, expect, test } from 'vitest';
import { namespaceIdOf } from '../auth/index.js';
import { deriveIdentity, type IdentityKeys, newX25519, sharedSecret, suiteV2 } from './index.js';
import type { ChannelParams, SealedChannel } from './suite.js';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const text = new TextEncoder().encode('{"v":1}');
const seed = (fill: number) => new Uint8Array(32).fill(fill);

let agent: IdentityKeys;
let device: IdentityKeys;
let atAgent: ChannelParams;
let atDevice: ChannelParams;
let fromAgent: SealedChannel;
let toDevice: SealedChannel;

beforeAll(async () => {
  agent = await deriveIdentity(seed(1));
  device = await deriveIdentity(seed(2));
  const namespaceId = await namespaceIdOf(agent.ed25519Public);
  const both = { namespaceId, agentEd25519: agent.ed25519Public, deviceEd25519: device.ed25519Public };
  atAgent = { ...both, role: 'agent', mySecret: agent.x25519Secret, theirPublic: device.x25519Public };
  atDevice = { ...both, role: 'device', mySecret: device.x25519Secret, theirPublic: agent.x25519Public };
  fromAgent = await suiteV2.open(atAgent);
  toDevice = await suiteV2.open(atDevice);
});

describe('a channel of suite v2', () => {
  test('names its suite', () => expect(fromAgent.suite).toBe('v2'));

  test.each([0, 1, 2 ** 32, Number.MAX_SAFE_INTEGER])('carries counter %i both ways', async (counter) => {
    const there = await fromAgent.seal(counter, text);
    expect(await toDevice.open(there.nonce, there.ciphertext)).toEqual({ counter, framed: text });
    const back = await toDevice.seal(counter, text);
    expect(await fromAgent.open(back.nonce, back.ciphertext)).toEqual({ counter, framed: text });
    expect(back.ciphertext).not.toEqual(there.ciphertext);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('does not seal with counter %d', async (counter) => {
    await expect(fromAgent.seal(counter, text)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('does not open its own messages: the direction is in the nonce', async () => {
    const { nonce, ciphertext } = await fromAgent.seal(1, text);
    expect(await fromAgent.open(nonce, ciphertext)).toBeUndefined();
    nonce[3] = 2;
    expect(await fromAgent.open(nonce, ciphertext)).toBeUndefined();
  });

  test('does not open a message under another counter', async () => {
    const { nonce, ciphertext } = await fromAgent.seal(1, text);
    nonce[11] = 2;
    expect(await toDevice.open(nonce, ciphertext)).toBeUndefined();
  });

  test('does not open a counter that is no safe integer', async () => {
    expect(await toDevice.open(hex('000000010020000000000000'), new Uint8Array(40))).toBeUndefined();
    expect(await toDevice.open(hex('00000001ffffffffffffffff'), new Uint8Array(40))).toBeUndefined();
  });

  test('does not open a message that was changed or cut anywhere', async () => {
    const { nonce, ciphertext } = await fromAgent.seal(7, text);
    for (let at = 0; at < ciphertext.length; at++) {
      const forged = ciphertext.slice();
      forged[at] = (forged[at] as number) ^ 0x80;
      expect(await toDevice.open(nonce, forged)).toBeUndefined();
      expect(await toDevice.open(nonce, ciphertext.slice(0, at))).toBeUndefined();
    }
  });

  test.each([0, 11, 13, 16])('does not open under a nonce of %i bytes', async (length) => {
    expect(await toDevice.open(new Uint8Array(length), new Uint8Array(40))).toBeUndefined();
  });

  test('does not open a message moved to another namespace, sender or recipient', async () => {
    const { nonce, ciphertext } = await fromAgent.seal(1, text);
    const stranger = await deriveIdentity(seed(3));
    const moved: Partial<ChannelParams>[] = [
      { namespaceId: await namespaceIdOf(stranger.ed25519Public) },
      { agentEd25519: stranger.ed25519Public },
      { deviceEd25519: stranger.ed25519Public },
      { theirPublic: stranger.x25519Public },
    ];
    for (const change of moved) {
      const channel = await suiteV2.open({ ...atDevice, ...change });
      expect(await channel.open(nonce, ciphertext)).toBeUndefined();
    }
  });

  test('is not opened with unsound keys or a wrong namespace length', async () => {
    const refused: Partial<ChannelParams>[] = [
      { namespaceId: new Uint8Array(31) },
      { agentEd25519: new Uint8Array(32) },
      { deviceEd25519: hex(`01${'00'.repeat(31)}`) },
      { deviceEd25519: new Uint8Array(31).fill(9) },
      { theirPublic: new Uint8Array(32) },
    ];
    for (const change of refused) {
      await expect(suiteV2.open({ ...atAgent, ...change })).rejects.toMatchObject({ code: 'bad_request' });
    }
  });
});

describe('keys', () => {
  test('of a window are fresh and agree with the other end', async () => {
    const [a, b] = [await newX25519(), await newX25519()];
    expect(a.secretKey).not.toEqual(b.secretKey);
    expect(await sharedSecret(a.secretKey, b.publicKey)).toEqual(
      await sharedSecret(b.secretKey, a.publicKey),
    );
  });

  test.each([
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ])('of small order, %s, agree on zero and are refused', async (key) => {
    await expect(sharedSecret(agent.x25519Secret, hex(key))).rejects.toMatchObject({ code: 'bad_request' });
  });

  test.each([0, 31, 33])('of %i bytes are refused', async (length) => {
    const key = new Uint8Array(length).fill(9);
    await expect(sharedSecret(agent.x25519Secret, key)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(sharedSecret(key, device.x25519Public)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(deriveIdentity(key)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
