/** A device written from 00–03 alone: original style (announces nothing) or ours. Knows no product code. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Style } from './agent.js';
import { Channel, type Packing } from './channel.js';
import { type Identity, identityOf, namespaceOf, pairingCode, sessionKey, sharedSecret } from './crypto.js';
import type { Members } from './frames.js';
import { type Invitation, readJson, readLink } from './invitation.js';
import { itemDigest, type Json, type Kind, receiptOf } from './items.js';
import { Wire, type WireOptions } from './wire.js';

export const DEVICE_SUPPORTS = [
  'receipts',
  'acks',
  'choices',
  'truncated',
  'item_request',
  'replace',
  'bypasses',
];
const IOS = 1;
const RETRY_MS = 50;
const RETRIES = 100;

const LISTS: Record<Kind, string> = {
  approval: 'approvals',
  clarification: 'clarifications',
  elicitation: 'elicitations',
};

export class IndependentDevice {
  readonly invitation: Invitation;
  readonly style: Style;
  readonly identity: Identity;
  readonly namespaceId: Buffer;
  readonly channel: Channel;
  wire!: Wire;
  authOk: Members = {};

  constructor(invitation: string | Invitation, style: Style = 'ours', seed = randomBytes(32)) {
    const parse = (text: string) => (text.startsWith('{') ? readJson(text) : readLink(text));
    this.invitation = typeof invitation === 'string' ? parse(invitation) : invitation;
    this.style = style;
    this.identity = identityOf(seed);
    this.namespaceId = namespaceOf(this.invitation.agentEd);
    this.channel = new Channel({
      key: sessionKey(this.shared),
      namespaceId: this.namespaceId,
      me: this.identity.ed25519,
      peer: this.invitation.agentEd,
      sends: 'to-agent',
    });
  }

  get id(): string {
    return this.identity.ed25519.toString('hex');
  }

  private get shared(): Buffer {
    return sharedSecret(this.identity.xScalar, this.invitation.agentX);
  }

  /** What the person types at the agent. */
  get code(): string {
    const { agentEd, agentX, token } = this.invitation;
    const { ed25519: deviceEd, x25519: deviceX } = this.identity;
    return pairingCode(this.shared, { agentEd, agentX, deviceEd, deviceX, token });
  }

  /** One try over a connection of its own; the frame that ended it. */
  async pair(members: Members = {}): Promise<{ name: string; code?: string; closed: number }> {
    const wire = await Wire.open(this.invitation.relayUrl);
    await wire.authenticate(this.identity, {
      pairing: {
        namespaceId: this.namespaceId,
        ed25519: this.identity.ed25519,
        x25519: this.identity.x25519,
        token: this.invitation.token,
        platform: IOS,
        ...members,
      },
      ...(this.style === 'ours' ? { capabilities: ['window'] } : {}),
    });
    const { name, is } = await wire.next('auth_ok');
    const { code: closed } = await wire.ended;
    return { name, ...(name === 'auth_error' ? { code: is.code as string } : {}), closed };
  }

  /** One try to log in as client; the code of the refusal, or undefined when in. */
  async tryLogin(members: Members = {}, options: WireOptions = {}): Promise<string | undefined> {
    const wire = await Wire.open(this.invitation.relayUrl, options);
    await wire.authenticate(this.identity, {
      client: { namespaceId: this.namespaceId, ed25519: this.identity.ed25519, platform: IOS, ...members },
      ...(this.style === 'ours' ? { capabilities: ['window'] } : {}),
    });
    const { name, is } = await wire.next('auth_ok');
    if (name === 'auth_error') return is.code as string;
    if (name !== 'auth_ok') throw new Error(`${name} before auth_ok`);
    this.wire = wire;
    this.authOk = is;
    return undefined;
  }

  /** Logs in, waiting while the agent's person has not confirmed. */
  async login(members: Members = {}, options: WireOptions = {}): Promise<Wire> {
    for (let i = 0; i < RETRIES; i++) {
      const refused = await this.tryLogin(members, options);
      if (refused === undefined) return this.wire;
      if (refused !== 'unauthorized') throw new Error(refused);
      await pause(RETRY_MS);
    }
    throw new Error('never authorized');
  }

  envelope(kind: string, members: Json = {}): Json {
    return { v: 1, kind, id: randomUUID(), ts: Date.now(), ...members };
  }

  send(payload: Json | string, live: boolean, packing?: Packing, counter?: bigint): void {
    const style = this.style === 'original' ? 'zlib' : live ? 'plain' : 'padded';
    const sealed = this.channel.seal(payload, packing ?? style, counter);
    this.wire.send('message', { ...sealed, peer: this.invitation.agentEd, live });
  }

  hello(): void {
    const device_info = { platform: 'ios', device_name: 'independent', app_version: '1' };
    const ours = this.style === 'ours' ? { supports: DEVICE_SUPPORTS } : {};
    this.send(this.envelope('hello', { device_info, ...ours }), false);
  }

  requestInbox(request_id?: string): void {
    this.send(this.envelope('inbox_request', request_id === undefined ? {} : { request_id }), true);
  }

  /** Hello and the first snapshot: what a device does after its first login. */
  async introduce(): Promise<Json> {
    this.hello();
    this.requestInbox();
    return this.receive('inbox_update');
  }

  /** The next payload of that kind for which `where` holds; others are passed over. */
  async receive(kind: string, where: (payload: Json) => boolean = () => true): Promise<Json> {
    for (;;) {
      const frame = await this.wire.next(kind);
      if (frame.name === 'error') throw new Error(`error ${String(frame.is.code)}`);
      if (frame.name !== 'message') continue;
      const { nonce, ciphertext } = frame.is as { nonce: Buffer; ciphertext: Buffer };
      const payload = this.channel.open({ nonce, ciphertext });
      if (payload.kind === kind && where(payload)) return payload;
    }
  }

  /** The next snapshot that has the item (all of them if none is named), and the item. */
  async receiveItem(kind: Kind, where: (entry: Json) => boolean = () => true): Promise<Json> {
    const list = (payload: Json) => (payload[LISTS[kind]] ?? []) as Json[];
    const snapshot = await this.receive('inbox_update', (payload) => list(payload).some(where));
    return list(snapshot).find(where) as Json;
  }

  digestOf(kind: Kind, entry: Json): string {
    return itemDigest(kind, this.namespaceId, entry);
  }

  /** A response with a receipt over what is answered (none for an original device). */
  response(kind: Kind, entry: Json, answer: Json, change: Json = {}): Json {
    const request_id = String(entry.request_id);
    const whole = { request_id, ...answer };
    const receipt = receiptOf(this.identity, {
      namespaceId: this.namespaceId,
      kind,
      requestId: request_id,
      itemDigest: this.digestOf(kind, entry),
      answer: whole,
      decidedAt: Date.now(),
    });
    const ours = this.style === 'ours' ? { receipt } : {};
    return this.envelope(`${kind}_response`, { ...whole, ...ours, ...change });
  }

  /** Sends a response and gives the agent's ack to it. */
  async answer(response: Json): Promise<Json> {
    this.send(response, false);
    return this.receive('ack', (ack) => ack.ref_id === response.id);
  }
}
