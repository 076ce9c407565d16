/** Opening pushes: the published example, and what RFC 8188 and 8291 forbid. */
import { createECDH } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeReceiverKeys, openMessage, type ReceiverKeys } from './message-encryption.js';
import { type Flaws, sealMessage } from './seal-message.fixtures.js';

/** RFC 8291 §5. */
const EXAMPLE = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz' +
    'AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  plaintext: 'When I grow up, I want to be a watermelon',
};

function exampleKeys(): ReceiverKeys {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(EXAMPLE.privateKey, 'base64url'));
  return {
    privateKey: ecdh.getPrivateKey(),
    publicKey: ecdh.getPublicKey(),
    auth: Buffer.from(EXAMPLE.auth, 'base64url'),
  };
}

it('opens the example of RFC 8291', () => {
  const body = Buffer.from(EXAMPLE.body, 'base64url');
  expect(body).toHaveLength(144);
  expect(openMessage(body, exampleKeys())).toEqual({ plaintext: Buffer.from(EXAMPLE.plaintext) });
});

it('opens the example in no other way', () => {
  const body = Buffer.from(EXAMPLE.body, 'base64url');
  for (const at of [0, 17, 30, 100, 143]) {
    const changed = Buffer.from(body);
    changed[at] = (changed[at] ?? 0) ^ 1;
    if (at !== 17) expect(openMessage(changed, exampleKeys())).toHaveProperty('fault');
  }
  expect(openMessage(body, makeReceiverKeys())).toHaveProperty('fault');
});

it.each<[string, Flaws, string | undefined]>([
  ['as it should be', {}, undefined],
  ['with padding', { padding: 100 }, undefined],
  [
    'with a delimiter that promises more records',
    { delimiter: 1 },
    'the delimiter is not 2: not the last record',
  ],
  ['with no delimiter', { delimiter: 0 }, 'the delimiter is not 2: not the last record'],
  ['in more than one record', { padding: 100, recordSize: 99 }, 'more than one record'],
  ['in a record size that holds nothing', { recordSize: 17 }, 'record size below 18'],
  [
    'under another auth secret',
    { auth: 'AAAAAAAAAAAAAAAAAAAAAA' },
    'does not decrypt with the keys of the subscription',
  ],
])('judges a message %s', (_, flaws, fault) => {
  const keys = makeReceiverKeys();
  const [p256dh, auth] = [keys.publicKey.toString('base64url'), keys.auth.toString('base64url')];
  const opened = openMessage(sealMessage('text', { endpoint: '', p256dh, auth }, flaws), keys);
  expect(opened).toEqual(fault === undefined ? { plaintext: Buffer.from('text') } : { fault });
});

it('judges bytes of any length without throwing', () => {
  for (let length = 0; length < 150; length += 1) {
    expect(openMessage(Buffer.alloc(length), makeReceiverKeys())).toHaveProperty('fault');
  }
});
