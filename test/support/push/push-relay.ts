/**
 * A real relay that pushes to the local gateways, with agents and devices that are nothing but frames. Time of the relay and
 * of the gateways is moved by hand.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePushHints, type FrameOf, type PushHints } from '@countersign/protocol';
import type { RelayConfigInput } from '@countersign/server';
import { DEFAULT_TOPIC, type Gateways, startGateways } from '../../gateways/index.js';
import {
  type AuthExtras,
  authFrame,
  clientRole,
  type Keys,
  newKeys,
  pairingRole,
} from '../relay/raw-peer.js';
import { RelayClock } from '../relay/relay-clock.js';
import { type Agent, type Device, RelayScene } from '../relay/relay-scene.js';

export const AGENT_CAPABILITIES = ['ref', 'received', 'window', 'push-hints', 'push-report'];
export const PLATFORM = { ios: 1, android: 2, web: 3 } as const;

/** What a device registers. */
export interface Registering {
  readonly platform: number;
  readonly deviceToken: string;
  readonly app?: string;
  readonly capabilities?: string[];
}

export class PushRelay {
  readonly clock: RelayClock;
  readonly gateways: Gateways;
  readonly directory: string;
  scene: RelayScene;
  readonly #config: RelayConfigInput;
  #refs = 0n;

  private constructor(
    parts: Pick<PushRelay, 'clock' | 'gateways' | 'directory' | 'scene'>,
    config: RelayConfigInput,
  ) {
    this.clock = parts.clock;
    this.gateways = parts.gateways;
    this.directory = parts.directory;
    this.scene = parts.scene;
    this.#config = config;
  }

  static async open(config: RelayConfigInput = {}): Promise<PushRelay> {
    const clock = new RelayClock();
    const gateways = await startGateways({ now: () => clock.now() });
    const directory = mkdtempSync(join(tmpdir(), 'countersign-push-'));
    const all = { opsPort: 0, ...providerSettings(gateways, directory), ...config };
    const scene = await RelayScene.open(all, { clock });
    return new PushRelay({ clock, gateways, directory, scene }, all);
  }

  /** Ends the relay in order and starts another one on the same store. */
  async restart(config: RelayConfigInput = {}): Promise<void> {
    await this.scene.close();
    this.scene = await RelayScene.open({ ...this.#config, ...config }, { clock: this.clock });
  }

  agent(extras: AuthExtras = {}, keys: Keys = newKeys()): Promise<Agent> {
    return this.scene.agent(keys, { capabilities: AGENT_CAPABILITIES, ...extras });
  }

  /** Logs in, which is how a token is registered. */
  async device(agent: Agent, keys: Keys, { capabilities = ['ref', 'received'], ...fields }: Registering) {
    const peer = this.scene.connect();
    const role = { ...clientRole(keys, { namespaceId: agent.namespaceId, ...fields }), app: fields.app };
    peer.send(await authFrame(peer, keys, role as never, { capabilities }));
    const { pushHandle } = await peer.next('auth_ok');
    return { keys, peer, pushHandle } satisfies Device & { pushHandle: Uint8Array | undefined };
  }

  /** Paired, registered, and gone again. */
  async away(agent: Agent, registering: Registering): Promise<Keys> {
    const [keys] = await this.scene.pair(agent);
    const device = await this.device(agent, keys as Keys, registering);
    await this.leave(agent, device);
    return keys as Keys;
  }

  /** Paired with a token and authorized; it never logs in. */
  async pairWith(agent: Agent, { platform, deviceToken, app }: Registering): Promise<Keys> {
    const [keys, token] = [newKeys(), await this.scene.window(agent)];
    const peer = this.scene.connect();
    const fields = { namespaceId: agent.namespaceId, token, platform, deviceToken };
    peer.send(await authFrame(peer, keys, { ...pairingRole(keys, fields), app } as never));
    await peer.next('auth_ok');
    await this.scene.authorize(agent, [keys]);
    return keys;
  }

  async leave(agent: Agent, device: Device): Promise<void> {
    const key = Buffer.from(device.keys.publicKey);
    device.peer.close();
    await agent.peer.until(() =>
      agent.peer.frames.some(
        (frame) => frame.type === 'presence_event' && frame.status === 2 && key.equals(frame.pubkey),
      ),
    );
    agent.peer.frames.length = 0;
  }

  /** Queues a message with hints; resolves once it is accepted. Returns its ref. */
  async send(agent: Agent, device: Keys, hints: PushHints | undefined, size = 500): Promise<bigint> {
    const frame = this.message(device, hints, size);
    agent.peer.send(frame);
    await agent.peer.until(() => take(agent, 'accepted', frame.ref as bigint));
    return frame.ref as bigint;
  }

  message(device: Keys, hints: PushHints | undefined, size = 500): FrameOf<'message'> {
    this.#refs += 1n;
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setBigUint64(0, this.#refs);
    return {
      type: 'message',
      ciphertext: new Uint8Array(size).fill(Number(this.#refs % 200n) + 1),
      nonce,
      peer: device.publicKey,
      live: false,
      ref: this.#refs,
      ...(hints && { push: encodePushHints(hints) }),
    };
  }

  /** The report on this message, in short. */
  async report(agent: Agent, ref: bigint): Promise<string> {
    const { outcome, detail } = (await agent.peer.until(() =>
      take(agent, 'push_report', ref),
    )) as FrameOf<'push_report'>;
    return `${outcome} ${detail}`;
  }

  /** The value of one series at `/metrics`; undefined while there is none. */
  async metric(series: string): Promise<string | undefined> {
    const text = await (await fetch(`${this.scene.relay.opsUrl}/metrics`)).text();
    return text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1);
  }

  async close(): Promise<void> {
    await this.scene.close();
    await this.gateways.close();
    rmSync(this.directory, { recursive: true });
  }
}

/** Names an item: 16 bytes. */
export function collapseOf(item: number): Uint8Array {
  return new Uint8Array(16).fill(item);
}

function take(agent: Agent, type: 'accepted' | 'push_report', ref: bigint) {
  const { frames } = agent.peer;
  const index = frames.findIndex((frame) => frame.type === type && frame.ref === ref);
  return index < 0 ? undefined : frames.splice(index, 1)[0];
}

/** A relay's settings for these gateways. */
export function providerSettings({ apns, fcm, webPush, ca }: Gateways, directory: string): RelayConfigInput {
  const file = join(directory, 'ca.pem');
  writeFileSync(file, ca);
  return {
    apnsTopic: DEFAULT_TOPIC,
    apnsKey: apns.credential.key,
    apnsKeyId: apns.credential.keyId,
    apnsTeamId: apns.credential.teamId,
    fcmServiceAccount: JSON.stringify(fcm.serviceAccount),
    vapidSubject: 'mailto:operator@relay.example',
    pushOrigins: webPush.origins.map(({ origin }) => origin),
    pushTestGateways: {
      ca: file,
      apnsPort: apns.production.port,
      apnsSandboxPort: apns.sandbox.port,
      fcmPort: fcm.api.port,
      fcmOauthPort: fcm.oauth.port,
    },
  };
}
