/**
 * An app of the original family: reads the QR's JSON, logs in until it is let in, and decodes what it gets as
 * strictly as the app does, where one missing member spoils a whole snapshot. Must not know our SDKs.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FamilyChannel, type FamilyKeys, namespaceOf } from './family-keys.js';
import { asClient, asPairing, FamilySocket, PLATFORM_IOS } from './family-socket.js';

const integer = z.number().refine(Number.isSafeInteger);
const text = z.string();
const optionalText = text.nullish();
/** The app prints numbers as 64-bit integers and crashes beyond; our limit is the one JSON keeps exact. */
const json: z.ZodType = z.lazy(() =>
  z.union([
    text,
    z.number().refine((n) => Math.abs(n) < 2 ** 53),
    z.boolean(),
    z.null(),
    z.array(json),
    z.record(text, json),
  ]),
);
const envelope = { v: z.literal(1), id: text, ts: integer };

const approval = z.object({
  request_id: text,
  tool_name: text,
  agent_label: text,
  summary: text,
  detail: optionalText,
  arguments: z.record(text, json).nullish(),
  created_at: integer,
});
const clarification = z.object({
  request_id: text,
  question: text,
  context: optionalText,
  suggested_answers: z.array(text).nullish(),
  agent_label: text,
  created_at: integer,
});
const elicitation = z.object({
  request_id: text,
  server_name: text,
  message: text,
  field_name: optionalText,
  sensitive: z.boolean(),
  is_confirmation: z.boolean(),
  created_at: integer,
});
const inboxUpdate = z.object({
  ...envelope,
  kind: z.literal('inbox_update'),
  badge: integer,
  approvals: z.array(approval),
  clarifications: z.array(clarification),
  elicitations: z.array(elicitation).nullish(),
});
const notification = z.object({ ...envelope, kind: z.literal('notification'), title: text, body: text });
const ack = z.object({ ...envelope, kind: z.literal('ack'), ref_id: text });
/** Any other kind shows the person an error. */
const payload = z.discriminatedUnion('kind', [inboxUpdate, notification, ack]);

export type AppPayload = z.infer<typeof payload>;
export type AppInbox = z.infer<typeof inboxUpdate>;

const hexKey = z.string().regex(/^[0-9a-fA-F]{64}$/);
const qrSchema = z.object({
  v: z.literal(1),
  relay_url: text,
  namespace_id: hexKey,
  agent_ed25519_pub: hexKey,
  agent_x25519_pub: hexKey,
  pairing_token: hexKey,
});

const LOGIN_RETRY_MS = 25;

export class FamilyApp {
  readonly deviceId: string;
  /** Everything decoded, oldest first. */
  readonly received: AppPayload[] = [];
  readonly #keys: FamilyKeys;
  readonly #qr: z.infer<typeof qrSchema>;
  readonly #agent: FamilyKeys;
  readonly #channel: FamilyChannel;
  #socket: FamilySocket | undefined;

  constructor(keys: FamilyKeys, qrJson: string) {
    this.#keys = keys;
    this.deviceId = keys.ed25519.toString('hex');
    this.#qr = qrSchema.parse(JSON.parse(qrJson));
    const ed25519 = Buffer.from(this.#qr.agent_ed25519_pub, 'hex');
    const namespaceId = namespaceOf(ed25519);
    if (namespaceId.toString('hex') !== this.#qr.namespace_id)
      throw new Error('the namespace is not of this key');
    this.#agent = { ...keys, ed25519 };
    const peerX25519 = Buffer.from(this.#qr.agent_x25519_pub, 'hex');
    this.#channel = new FamilyChannel({
      role: 'device',
      own: keys,
      peerEd25519: ed25519,
      peerX25519,
      namespaceId,
    });
  }

  async pair(): Promise<void> {
    const socket = this.#dial();
    const token = Buffer.from(this.#qr.pairing_token, 'hex');
    await socket.logIn(this.#keys, asPairing(this.#keys, this.#agent, token, PLATFORM_IOS));
    await socket.frame('auth_ok');
    socket.close();
  }

  /** `unauthorized` means not yet; then hello and the request for the inbox, as after every login. */
  async logIn(): Promise<void> {
    for (;;) {
      const socket = this.#dial();
      await socket.logIn(this.#keys, asClient(this.#keys, this.#agent, PLATFORM_IOS));
      const reply = await socket.any();
      if (reply.type === 'auth_ok') this.#socket = socket;
      if (reply.type === 'auth_ok') break;
      if (reply.type !== 'auth_error' || reply.code !== 'unauthorized')
        throw new Error(`login: ${reply.type}`);
      await new Promise((resolve) => setTimeout(resolve, LOGIN_RETRY_MS));
    }
    const platform = 'ios';
    this.send('hello', {
      device_info: {
        platform,
        model: 'iPhone',
        os_version: '18.5',
        app_version: '1.0',
        device_name: 'Phone',
      },
    });
    this.askForInbox();
  }

  askForInbox(): void {
    this.send('inbox_request', {}, true);
  }

  /** Sends one payload on a connection of its own and leaves, as from a notification's button. */
  async sendOnce(kind: string, members: object): Promise<void> {
    this.#socket?.close();
    const socket = this.#dial();
    await socket.logIn(this.#keys, asClient(this.#keys, this.#agent, PLATFORM_IOS));
    await socket.frame('auth_ok');
    this.#socket = socket;
    this.send(kind, members);
    socket.close();
    this.#socket = undefined;
  }

  /** The payload's id. */
  send(kind: string, members: object, live = false): string {
    const id = randomUUID();
    const sealed = this.#channel.seal({ v: 1, kind, id, ts: Date.now(), ...members });
    this.#socket?.send({ type: 'message', ...sealed, peer: this.#agent.ed25519, live });
    return id;
  }

  /** Takes what comes until a payload fits. */
  async until<T extends AppPayload['kind']>(
    kind: T,
    fits: (found: Extract<AppPayload, { kind: T }>) => boolean = () => true,
  ): Promise<Extract<AppPayload, { kind: T }>> {
    for (;;) {
      const found = (await this.#next()) as Extract<AppPayload, { kind: T }>;
      if (found.kind === kind && fits(found)) return found;
    }
  }

  vanish(): void {
    this.#socket?.vanish();
  }

  async #next(): Promise<AppPayload> {
    for (;;) {
      const frame = await this.#socket?.any();
      if (frame?.type === 'presence_event' || frame?.type === 'peer_offline') continue;
      if (frame?.type !== 'message') throw new Error(`no app expects ${frame?.type}`);
      const decoded = payload.parse(JSON.parse(this.#channel.open(frame)));
      this.received.push(decoded);
      return decoded;
    }
  }

  #dial(): FamilySocket {
    return new FamilySocket(Number(new URL(this.#qr.relay_url).port));
  }
}
