/**
 * 01 §8 on a whole relay: secrets are planted wherever a peer or an operator can put one, and looked for in every log
 * line, metric, answer and page of the database. What may be where is said in the table below.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFrame } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentRole,
  authFrame,
  clientRole,
  type Keys,
  newKeys,
  pairingRole,
  RawPeer,
} from '../support/relay/raw-peer.js';
import { sealed } from '../support/relay/relay-scene.js';
import { HealthyPair } from '../support/trials/healthy-pair.js';
import { RelayProcess } from '../support/trials/relay-process.js';

const TIMEOUT_MS = 60_000;
const INVITE = 'canary-invite-6K2D';
const DEVICE_TOKEN = 'canary-device-token-6K2D';
const CAPABILITY = 'canary-capability';
const HEADER = 'canary-header-6K2D';
const CIPHERTEXT = 'canary-ciphertext-6K2D';

let relay: RelayProcess;
const lines: string[] = [];
const token = new Uint8Array(randomBytes(32));
let agentKeys: Keys;
let said = '';
let metrics = '';
let database = Buffer.alloc(0);

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** As text, hex, base64 and raw. */
function forms(secret: Uint8Array): string[] {
  const buffer = Buffer.from(secret);
  return [hex(secret), buffer.toString('base64'), buffer.toString('base64url'), buffer.toString('latin1')];
}

beforeAll(async () => {
  const settings = { registration: 'invite', invite: INVITE, logLevel: 'debug' } as const;
  relay = await RelayProcess.start({ settings, onLog: (line) => lines.push(line) });
  const pair = await HealthyPair.open({ url: relay.url, invite: INVITE });
  await pair.talk();
  agentKeys = newKeys();
  await plant();
  metrics = await (await fetch(`${relay.opsUrl}/metrics`)).text();
  metrics += JSON.stringify(await relay.status());
  database = Buffer.concat(
    readdirSync(relay.dir)
      .filter((name) => name.startsWith('relay.sqlite') && !name.endsWith('.invite'))
      .map((name) => readFileSync(join(relay.dir, name))),
  );
  pair.close();
}, TIMEOUT_MS);
afterAll(() => relay.close());

async function plant(): Promise<void> {
  const connect = () => new RawPeer(relay.url, { headers: { 'user-agent': HEADER, cookie: HEADER } });
  const agent = connect();
  const extras = { invite: INVITE, capabilities: [CAPABILITY] };
  agent.send(await authFrame(agent, agentKeys, agentRole(agentKeys), extras));
  const { namespaceId } = await agent.next('auth_ok');
  agent.send({ type: 'pairing_start', pairingToken: token, ttl: 0 });
  await agent.next('pairing_ready');
  const device = newKeys();
  const fields = { namespaceId, token, deviceToken: DEVICE_TOKEN };
  const pairing = connect();
  pairing.send(await authFrame(pairing, device, pairingRole(device, fields)));
  await pairing.next('auth_ok');
  agent.send({ type: 'authorize', clients: [device.publicKey] });
  await agent.next('authorize_ok');
  const ciphertext = new TextEncoder().encode(CIPHERTEXT.repeat(2));
  agent.send({ ...sealed(device.publicKey, false), ciphertext });
  agent.send({ ...sealed(newKeys().publicKey, false), ciphertext });
  agent.send({ ...sealed(device.publicKey, true), ciphertext, nonce: new Uint8Array(3) });
  agent.send({ type: 'error', code: CIPHERTEXT, message: CIPHERTEXT });
  await agent.settled();
  const refused = connect();
  refused.send(await authFrame(refused, newKeys(), clientRole(newKeys(), fields)));
  const broken = connect();
  await broken.next('challenge');
  broken.sendBytes(
    Buffer.concat([encodeFrame({ type: 'pairing_stop' }), Buffer.from(`\xff${CIPHERTEXT}`, 'latin1')]),
  );
  const peers = [agent, refused, broken];
  await Promise.all([refused.whenClosed(), broken.whenClosed()]);
  const words = peers.flatMap(({ frames, closed }) => [
    closed?.reason ?? '',
    ...frames.map((frame) => ('message' in frame && 'code' in frame ? `${frame.code} ${frame.message}` : '')),
  ]);
  said = words.join('\n');
  agent.close();
}

describe('what was planted', () => {
  const everywhere = () => [INVITE, DEVICE_TOKEN, CAPABILITY, HEADER, CIPHERTEXT, ...forms(token)];

  it('is in no line of the log, and neither is a whole key', () => {
    const log = lines.join('\n');
    expect(log).toContain('"event":"frame_refused"');
    for (const secret of [...everywhere(), hex(agentKeys.publicKey), '127.0.0.1'])
      expect(log).not.toContain(secret);
  });

  it('is in no metric and no answer of the second listener', () => {
    expect(metrics).toContain('# TYPE');
    for (const secret of [...everywhere(), hex(agentKeys.publicKey).slice(0, 8)])
      expect(metrics).not.toContain(secret);
  });

  it('is in no error that a peer is told', () => {
    expect(said).toContain('bad_request');
    for (const secret of everywhere()) expect(said).not.toContain(secret);
  });

  it('is in the database only where it must be to be delivered: what waits, sealed; no push token that nobody sends to', () => {
    expect(database.includes(CIPHERTEXT)).toBe(true);
    for (const secret of [INVITE, CAPABILITY, HEADER, DEVICE_TOKEN])
      expect(database.includes(secret)).toBe(false);
    for (const form of forms(token)) expect(database.includes(Buffer.from(form, 'latin1'))).toBe(false);
  });
});
