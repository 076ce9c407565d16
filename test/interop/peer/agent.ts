/** An agent written from 00–03 alone: original style (announces nothing) or ours. Knows no product code. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Channel, type Packing } from './channel.js';
import {
  type Identity,
  identityOf,
  namespaceOf,
  pairingCode,
  sessionKey,
  sha256,
  sharedSecret,
  x25519Public,
} from './crypto.js';
import type { Members } from './frames.js';
import type { Invitation } from './invitation.js';
import type { Json } from './items.js';
import { Wire, type WireOptions } from './wire.js';

export type Style = 'ours' | 'original';

export const AGENT_SUPPORTS = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'bypasses',
];

export interface Window {
  token: Buffer;
  xScalar: Buffer;
  xPublic: Buffer;
}

export class IndependentAgent {
  readonly relayUrl: string;
  readonly style: Style;
  readonly identity: Identity;
  readonly namespaceId: Buffer;
  readonly channels = new Map<string, Channel>();
  wire!: Wire;
  authOk: Members = {};

  constructor(relayUrl: string, style: Style = 'ours', seed = randomBytes(32)) {
    this.relayUrl = relayUrl;
    this.style = style;
    this.identity = identityOf(seed);
    this.namespaceId = namespaceOf(this.identity.ed25519);
  }

  /** Logs in; what follows `auth_ok` is left to be taken. */
  async login(members: Members = {}, options: WireOptions = {}): Promise<Wire> {
    this.wire = await Wire.open(this.relayUrl, options);
    await this.wire.authenticate(this.identity, {
      agent: { ed25519: this.identity.ed25519 },
      ...(this.style === 'ours' ? { capabilities: ['window'] } : {}),
      ...members,
    });
    this.authOk = await this.wire.take('auth_ok');
    return this.wire;
  }

  async openWindow(ttl = 300): Promise<Window> {
    const token = randomBytes(32);
    const xScalar = this.style === 'ours' ? randomBytes(32) : this.identity.xScalar;
    this.wire.send('pairing_start', { token, ttl });
    await this.wire.takePast('pairing_ready');
    return { token, xScalar, xPublic: x25519Public(xScalar) };
  }

  invitation({ token, xPublic }: Window): Invitation {
    const base = { relayUrl: this.relayUrl, agentEd: this.identity.ed25519, agentX: xPublic, token };
    if (this.style === 'original') return base;
    const exp = Math.floor(Date.now() / 1000) + 300;
    return { ...base, name: 'independent', exp, supports: AGENT_SUPPORTS, bound: true };
  }

  /** Takes `client_paired`, checks the window, keeps the channel; gives the code the device must show. */
  async meet(window: Window): Promise<{ device: Buffer; code: () => string }> {
    const {
      ed25519,
      x25519,
      window: name,
    } = (await this.wire.takePast('client_paired')) as Record<string, Buffer>;
    if (ed25519 === undefined || x25519 === undefined) throw new Error('no keys');
    if (this.style === 'ours' && !name?.equals(sha256(window.token).subarray(0, 16)))
      throw new Error('not our window');
    const shared = sharedSecret(window.xScalar, x25519);
    const { namespaceId, identity } = this;
    this.channels.set(
      ed25519.toString('hex'),
      new Channel({
        key: sessionKey(shared),
        namespaceId,
        me: identity.ed25519,
        peer: ed25519,
        sends: 'to-device',
      }),
    );
    const code = () =>
      pairingCode(shared, {
        agentEd: identity.ed25519,
        agentX: window.xPublic,
        deviceEd: ed25519,
        deviceX: x25519,
        token: window.token,
      });
    return { device: ed25519, code };
  }

  async authorize(...devices: Buffer[]): Promise<number> {
    this.wire.send('authorize', { clients: devices });
    return (await this.wire.takePast('authorize_ok')).authorized as number;
  }

  channel(device: Buffer): Channel {
    const channel = this.channels.get(device.toString('hex'));
    if (channel === undefined) throw new Error('unknown device');
    return channel;
  }

  envelope(kind: string, members: Json): Json {
    return { v: 1, kind, id: randomUUID(), ts: Date.now(), ...members };
  }

  send(device: Buffer, payload: Json, live: boolean, packing?: Packing): void {
    const style = this.style === 'original' ? 'zlib' : live ? 'plain' : 'padded';
    const sealed = this.channel(device).seal(payload, packing ?? style);
    this.wire.send('message', { ...sealed, peer: device, live });
  }

  /** A whole snapshot; original agents send no elicitations list and no features. */
  snapshot(device: Buffer, lists: Json): Json {
    const { approvals = [], clarifications = [], elicitations = [] } = lists as Record<string, Json[]>;
    const badge = approvals.length + clarifications.length + elicitations.length;
    const ours = this.style === 'ours' ? { supports: AGENT_SUPPORTS, elicitations } : {};
    const payload = this.envelope('inbox_update', { badge, approvals, clarifications, ...ours });
    this.send(device, payload, true);
    return payload;
  }

  notify(device: Buffer, members: Json): void {
    this.send(device, this.envelope('notification', members), false);
  }

  /** The next payload of that kind from any device; others are passed over. */
  async receive(kind: string, where: (payload: Json) => boolean = () => true): Promise<Json> {
    for (;;) {
      const frame = await this.wire.next(kind);
      if (frame.name !== 'message') continue;
      const { peer, nonce, ciphertext } = frame.is as Record<string, Buffer>;
      if (peer === undefined || nonce === undefined || ciphertext === undefined) continue;
      const payload = this.channel(peer).open({ nonce, ciphertext });
      if (payload.kind === kind && where(payload)) return payload;
    }
  }

  ack(device: Buffer, answer: Json, status: string, more: Json = {}): void {
    const { id, request_id } = answer;
    const ours = this.style === 'ours' ? { request_id, status, now: Date.now(), ...more } : {};
    this.send(device, this.envelope('ack', { ref_id: id, ...ours }), true);
  }
}
