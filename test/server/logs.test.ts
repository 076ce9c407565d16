/** 01 §8: what the relay writes down. Plants secrets everywhere a peer can and looks for them in every line. */
import { toHex } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { authFrame, clientRole, newKeys, pairingRole, refusal } from '../support/relay/raw-peer.js';
import { RelayScene, sealed } from '../support/relay/relay-scene.js';

let scene: RelayScene;
afterEach(() => scene.close());

const CANARY = 'canary-7f3a';

function forms(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  return [toHex(bytes), buffer.toString('base64'), buffer.toString('base64url'), [...bytes].join(',')];
}

describe('the log', () => {
  it('holds shortened ids and codes, and nothing a peer said', async () => {
    const lines: string[] = [];
    scene = await RelayScene.open(
      { logLevel: 'debug', registration: 'invite', invite: `${CANARY}-invite-code`, maxAuthorizedDevices: 1 },
      { log: { write: (line) => lines.push(line) } },
    );
    const agent = await scene.agent(newKeys(), { invite: `${CANARY}-invite-code` });
    const token = await scene.window(agent);
    const keys = newKeys();
    const pairing = scene.connect({ headers: { 'user-agent': CANARY, cookie: CANARY } });
    const fields = { ...agent, token, deviceToken: `${CANARY}-push-token` };
    pairing.send(await authFrame(pairing, keys, pairingRole(keys, fields), { capabilities: [CANARY] }));
    await pairing.next('auth_ok');
    await scene.authorize(agent, [keys]);
    const device = scene.connect();
    device.send(await authFrame(device, keys, clientRole(keys, fields)));
    await device.next('auth_ok');
    const messages = [true, false].map((live) => sealed(keys.publicKey, live, 64));
    for (const message of messages) agent.peer.send(message);
    agent.peer.send(sealed(newKeys().publicKey, true));
    agent.peer.sendBytes(`${CANARY} text`);
    agent.peer.send({ type: 'error', code: CANARY, message: CANARY });
    agent.peer.send({ type: 'authorize', clients: [new Uint8Array(3), new Uint8Array(4)] });
    await agent.peer.settled();
    const refusedPeer = scene.connect();
    refusedPeer.send(await authFrame(refusedPeer, newKeys(), clientRole(newKeys(), fields)));
    await refusal(refusedPeer);
    agent.peer.sendBytes(Buffer.from(`\xff${CANARY}`, 'latin1'));
    await agent.peer.whenClosed();
    await scene.relay.close();

    const log = lines.join('');
    expect(log).toContain('"event":"login"');
    expect(log).toContain('"event":"frame_refused"');
    const secrets = [
      CANARY,
      ...forms(token),
      ...forms(keys.publicKey),
      ...forms(agent.keys.publicKey),
      ...forms(agent.namespaceId),
      ...messages.flatMap(({ ciphertext, nonce }) => [...forms(ciphertext), ...forms(nonce)]),
      '127.0.0.1',
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
    for (const line of lines) {
      for (const [name, value] of Object.entries(JSON.parse(line) as Record<string, unknown>)) {
        expect(['level', 'time', 'event', 'msg', ...ALLOWED]).toContain(name);
        if (['namespace', 'peer', 'recipient'].includes(name)) expect(value).toMatch(/^[0-9a-f]{8}$/);
      }
    }
  });
});

const ALLOWED = [
  'namespace',
  'peer',
  'recipient',
  'role',
  'code',
  'closeCode',
  'by',
  'again',
  'devices',
  'revoked',
  'messages',
  'namespaces',
  'reason',
  'operation',
];
