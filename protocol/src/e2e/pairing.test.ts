import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { namespaceIdOf } from '../auth/index.js';
import { CountersignError } from '../frames/index.js';
import { fromBase64Url, toBase64Url } from './base64url.js';
import {
  deriveIdentity,
  encodeLink,
  encodeQrJson,
  FEATURES,
  MAX_PAIRING_TEXT,
  NO_EXPIRY,
  normalizeCode,
  type PairingOffer,
  pairingCode,
  parsePairing,
} from './index.js';

const TOKEN = new Uint8Array(32).fill(0xee);
let offer: PairingOffer;
let compact: string;
let bytes: Uint8Array;

beforeAll(async () => {
  const agent = await deriveIdentity(new Uint8Array(32).fill(1));
  offer = {
    relayUrl: 'wss://relay.example',
    namespaceId: await namespaceIdOf(agent.ed25519Public),
    agentEd25519: agent.ed25519Public,
    agentX25519: agent.x25519Public,
    token: TOKEN,
    name: 'Büro 🖇',
    exp: 1_750_000_300,
    supports: ['receipts', 'bypasses'],
    relayBinding: true,
  };
  compact = encodeLink(offer).split('#p=')[1] as string;
  bytes = fromBase64Url(compact) as Uint8Array;
});

async function messageOf(text: string): Promise<string> {
  const error = await parsePairing(text).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CountersignError);
  expect((error as CountersignError).code).toBe('invalid_link');
  return (error as CountersignError).message;
}

describe('a compact link', () => {
  test('points at the app of the relay, or at the one named, whose fragment gives way', () => {
    expect(encodeLink(offer)).toBe(`https://relay.example/app/#p=${compact}`);
    expect(encodeLink({ ...offer, relayUrl: 'ws://127.0.0.1:7000' })).toMatch(
      /^http:\/\/127\.0\.0\.1:7000\/app\/#p=/,
    );
    expect(encodeLink(offer, 'https://me.example/cs?x=1#old')).toBe(`https://me.example/cs?x=1#p=${compact}`);
  });

  test.each(['link', 'link of another app', '#p=', 'p=', 'bare', 'among others', 'with spaces around'])(
    'is read as %s',
    async (form) => {
      const texts: Record<string, string> = {
        link: encodeLink(offer),
        'link of another app': `countersign://pair/x?y=%20#p=${compact}`,
        '#p=': `#p=${compact}`,
        'p=': `p=${compact}`,
        bare: compact,
        'among others': `https://me.example/#x=p=&p=${compact}&z`,
        'with spaces around': `\n  ${encodeLink(offer)}\t\n`,
      };
      expect(await parsePairing(texts[form] as string)).toEqual(offer);
    },
  );

  test('carries any offer there and back', async () => {
    const property = fc.asyncProperty(
      fc.record({
        name: fc.string({ unit: 'grapheme', maxLength: 20 }),
        exp: fc.integer({ min: 0, max: NO_EXPIRY }),
        supports: fc.subarray([...FEATURES]),
        relayBinding: fc.boolean(),
        token: fc.uint8Array({ minLength: 32, maxLength: 32 }),
        relayUrl: fc.constantFrom(
          'wss://relay.example',
          'ws://[::1]:8080',
          'ws://localhost',
          'wss://a.b:8443',
        ),
      }),
      async (change) => {
        const made = { ...offer, ...change };
        expect(await parsePairing(encodeLink(made))).toEqual(made);
        expect(await parsePairing(encodeQrJson(made))).toEqual(made);
      },
    );
    await fc.assert(property);
  });

  test('leaves out features without a bit and ignores bits without a feature', async () => {
    const link = encodeLink({ ...offer, supports: ['receipts', 'telepathy'] });
    expect((await parsePairing(link)).supports).toEqual(['receipts']);
    const more = bytes.slice();
    more.set([0xff, 0xff, 0xff, 0xff], 101);
    expect((await parsePairing(toBase64Url(more))).supports).toEqual(FEATURES);
  });

  test('spells the relay canonically', async () => {
    const link = encodeLink({ ...offer, relayUrl: 'WSS://Relay.Example:443/v1/ws' });
    expect((await parsePairing(link)).relayUrl).toBe('wss://relay.example');
  });

  test('holds 255 bytes of relay and of name, and no more', async () => {
    const longest = { ...offer, relayUrl: `wss://${'a.'.repeat(124)}a`, name: `é${'x'.repeat(253)}` };
    expect(longest.relayUrl).toHaveLength(255);
    expect(await parsePairing(encodeLink(longest))).toEqual(longest);
    expect(() => encodeLink({ ...longest, name: `${longest.name}x` })).toThrow(/255 bytes/);
    expect(() => encodeLink({ ...longest, relayUrl: `${longest.relayUrl}a` })).toThrow(/255 bytes/);
  });

  test.each([
    ['a time beyond u32', { exp: NO_EXPIRY + 1 }],
    ['a negative time', { exp: -1 }],
    ['half a second', { exp: 0.5 }],
    ['a short token', { token: new Uint8Array(31) }],
    ['a long key', { agentEd25519: new Uint8Array(33) }],
    ['no key', { agentX25519: new Uint8Array(0) }],
  ])('is not made with %s', (_what, change) => {
    expect(() => encodeLink({ ...offer, ...change })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test('is not made for an app that is not on the web', () => {
    for (const app of ['javascript:alert(1)', 'app', '', 'file:///x']) {
      expect(() => encodeLink(offer, app)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });

  test('cut off anywhere is refused', async () => {
    for (let length = 0; length < bytes.length; length++)
      await messageOf(`#p=${toBase64Url(bytes.subarray(0, length))}`);
    expect(await messageOf(toBase64Url(bytes.subarray(0, 50)))).toMatch(/cut off/);
  });

  test.each([
    ['nothing', () => '  ', /empty/],
    ['another page', () => 'https://relay.example/app/', /no #p= part/],
    ['another fragment', () => 'https://relay.example/app/#q=1', /no #p= part/],
    ['words', () => 'what is this', /no #p= part/],
    ['a longer text than any link', () => compact.padEnd(MAX_PAIRING_TEXT + 1, 'A'), /too long/],
    ['padding', () => `#p=${compact}=`, /damaged/],
    ['the other alphabet', () => `#p=${compact}+/`, /damaged/],
    ['a later format', () => toBase64Url(bytes.with(0, 2)), /newer kind/],
    ['bytes behind the end', () => toBase64Url(new Uint8Array([...bytes, 0])), /follows its end/],
    [
      'a small-order agent key',
      () => toBase64Url(new Uint8Array(bytes).fill(0, 1, 33)),
      /agent key is unsound/,
    ],
    ['a name that is no UTF-8', () => toBase64Url(bytes.with(-1, 0xff)), /not UTF-8/],
  ])('made of %s is refused, saying so', async (_what, text, expected) => {
    expect(await messageOf(text())).toMatch(expected);
  });
});

describe('a relay address in a link', () => {
  const jsonWith = (relay_url: unknown) => JSON.stringify({ ...JSON.parse(encodeQrJson(offer)), relay_url });

  test.each(['https://relay.example', 'relay.example', 'javascript:x', '', 'wss://', 'wss://a b'])(
    '%j is no relay',
    async (url) => expect(await messageOf(jsonWith(url))).toMatch(/wss:\/\/ or ws:\/\//),
  );

  test.each([
    'wss://relay.example/other',
    'wss://user@relay.example',
    'wss://:pw@relay.example',
    'wss://relay.example/?a=1',
    'wss://relay.example/#f',
  ])('%j has too much', async (url) =>
    expect(await messageOf(jsonWith(url))).toMatch(/more than a host and a port/),
  );
});

describe('the JSON form', () => {
  const json = () => JSON.parse(encodeQrJson(offer)) as Record<string, unknown>;

  test('of an original agent has no name, no end, no features', async () => {
    const { v, relay_url, namespace_id, agent_ed25519_pub, agent_x25519_pub, pairing_token } = json();
    const bare = { v, relay_url, namespace_id, agent_ed25519_pub, agent_x25519_pub, pairing_token };
    const read = await parsePairing(JSON.stringify(bare));
    expect(read).toEqual({ ...offer, name: '', exp: NO_EXPIRY, supports: [], relayBinding: false });
    expect(JSON.parse(encodeQrJson(read))).toEqual(bare);
  });

  test('is printed as the original apps read it', () => {
    expect(json()).toMatchObject({ v: 1, pairing_token: 'ee'.repeat(32), rb: 1, exp: 1_750_000_300 });
    expect(json().agent_ed25519_pub).toMatch(/^[0-9a-f]{64}$/);
  });

  test('may have unknown keys, capitals, nulls and odd extras', async () => {
    const odd = {
      ...json(),
      later: { x: 1 },
      pairing_token: 'EE'.repeat(32),
      supports: ['acks', 5, 'new'],
      name: null,
      rb: true,
    };
    expect(await parsePairing(JSON.stringify(odd, undefined, 2))).toMatchObject({
      token: TOKEN,
      supports: ['acks', 'new'],
      name: '',
      relayBinding: false,
    });
  });

  test.each([
    ['v', 2, /newer kind/],
    ['v', undefined, /newer kind/],
    ['relay_url', undefined, /names no relay/],
    ['relay_url', 5, /names no relay/],
    ['namespace_id', 'ab'.repeat(32), /does not belong/],
    ['namespace_id', 'ab', /namespace_id is missing/],
    ['agent_ed25519_pub', '00'.repeat(32), /agent key is unsound/],
    ['agent_ed25519_pub', null, /agent_ed25519_pub is missing/],
    ['agent_x25519_pub', 'zz'.repeat(32), /agent_x25519_pub is missing/],
    ['pairing_token', 'ee'.repeat(33), /pairing_token is missing/],
    ['exp', 'soon', /exp is not a time/],
    ['exp', -5, /exp is not a time/],
  ])('with %s = %j is refused, saying so', async (member, value, expected) => {
    expect(await messageOf(JSON.stringify({ ...json(), [member]: value }))).toMatch(expected);
  });

  test.each(['{', '{"v":1,"v":1}', '{"__proto__":1}', '{}x'])(
    'that is no sound JSON, %s, is damaged',
    async (text) => {
      expect(await messageOf(text)).toMatch(/damaged/);
    },
  );

  test('says nothing of the token when it refuses', async () => {
    expect(await messageOf(JSON.stringify({ ...json(), relay_url: 'ee'.repeat(32) }))).not.toContain('eeee');
  });
});

test('base64url has one text per byte string', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      expect(toBase64Url(data)).toBe(Buffer.from(data).toString('base64url'));
      expect(fromBase64Url(toBase64Url(data))).toEqual(data);
    }),
  );
  for (const text of ['A', 'AAAAA', 'AB', 'AAB', 'AA==', 'A A', 'é', '\ud800A'])
    expect(fromBase64Url(text)).toBeUndefined();
});

describe('a code', () => {
  test.each([
    ['YA1R6H00', 'YA1R6H00'],
    ['ya1r 6h00', 'YA1R6H00'],
    [' ya-1r–6h-oO\n', 'YA1R6H00'],
    ['yaIr6hoo', 'YA1R6H00'],
    ['yalr6hoo', 'YA1R6H00'],
  ])('typed as %j is %s', (typed, code) => expect(normalizeCode(typed)).toBe(code));

  test.each(['', 'YA1R6H0', 'YA1R6H000', 'YA1R6H0U', 'YA1R6H0_', 'ÝA1R6H00', '😀A1R6H00'])(
    'is not %j',
    (typed) => {
      expect(normalizeCode(typed)).toBeUndefined();
    },
  );

  test('differs with every input', async () => {
    const fill = (value: number) => new Uint8Array(32).fill(value);
    const input = {
      shared: fill(1),
      namespaceId: fill(2),
      agentEd25519: fill(3),
      deviceEd25519: fill(4),
      agentX25519: fill(5),
      deviceX25519: fill(6),
      token: fill(7),
    };
    const codes = new Set([await pairingCode(input)]);
    for (const member of Object.keys(input)) codes.add(await pairingCode({ ...input, [member]: fill(9) }));
    expect(codes.size).toBe(8);
    for (const code of codes) expect(normalizeCode(code)).toBe(code);
  });
});
