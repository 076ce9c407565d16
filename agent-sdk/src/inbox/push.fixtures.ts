/** An agent with one trusted device at a relay that does as told, and a clock of the test's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePushHints, type FrameOf, toHex } from '@countersign/protocol';
import { namespaceIdOf } from '@countersign/protocol/auth';
import { deriveIdentity, newX25519, type SealedChannel, suiteV2, unframe } from '@countersign/protocol/e2e';
import { FakeRelay, type RelaySide } from '../../../test/support/link/fake-relay.js';
import { VirtualTime } from '../../../test/support/link/virtual-time.js';
import { openAgentIn } from '../agent/open-agent.js';
import type { Agent, AgentLogger } from '../api.js';
import { openAgentStore } from '../store/index.js';
import type { Wording } from './wording.js';

export const GRANTED = ['ref', 'push-hints', 'push-report'];

export interface PushScene {
  readonly agent: Agent;
  readonly relay: FakeRelay;
  readonly side: RelaySide;
  readonly time: VirtualTime;
  /** The device's Ed25519 key, hex. */
  readonly device: string;
  readonly log: string[];
  /** The next queued message, opened by the device's keys, with its hints. */
  next(): Promise<Queued>;
  /** Ends the agent's process and starts it again; the next login is granted the same. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Queued {
  readonly payload: Record<string, unknown>;
  readonly hints: ReturnType<typeof decodePushHints>;
  readonly message: FrameOf<'message'>;
}

export interface SceneOptions {
  readonly capabilities?: string[];
  readonly supports?: string[];
  readonly name?: string;
}

export async function pushScene({
  capabilities = GRANTED,
  supports = ['replace'],
  name = 'Robot',
}: SceneOptions = {}): Promise<PushScene> {
  const relay = await FakeRelay.start();
  const dir = join(mkdtempSync(join(tmpdir(), 'countersign-push-')), 'state');
  const { device, channel } = await trustedDevice(dir, supports);
  const time = new VirtualTime(Date.now());
  const log: string[] = [];
  const note = (event: string) => void log.push(event);
  const logger: AgentLogger = { debug: note, info: note, warn: note };
  const start = async () => {
    const agent = await openAgentIn({ clock: time, wording }, { relayUrl: relay.url, dir, name, logger });
    const side = await relay.loggedIn(capabilities);
    const { clients } = await side.take('authorize');
    side.send({ type: 'authorize_ok', authorized: clients.length });
    await side.take('presence_request');
    side.send({ type: 'presence_list', online: [] });
    await agent.whenConnected();
    return { agent, side };
  };
  let running = await start();
  return {
    get agent() {
      return running.agent;
    },
    get side() {
      return running.side;
    },
    relay,
    time,
    device,
    log,
    async next() {
      for (;;) {
        const message = await running.side.take('message');
        if (message.ref !== undefined) running.side.send({ type: 'accepted', ref: message.ref });
        if (message.live) continue;
        const opened = await channel.open(message.nonce, message.ciphertext);
        const { ok } = await unframe(opened?.framed ?? new Uint8Array());
        const payload = JSON.parse(new TextDecoder().decode(ok));
        return { payload, hints: message.push && decodePushHints(message.push), message };
      }
    },
    async restart() {
      running.side.socket.terminate();
      await running.agent.close();
      running = await start();
    },
    async close() {
      // Nobody is left to take what is written at the end.
      await relay.close();
      await running.agent.close();
      rmSync(join(dir, '..'), { recursive: true, force: true });
    },
  };
}

async function trustedDevice(
  dir: string,
  supports: string[],
): Promise<{ device: string; channel: SealedChannel }> {
  const store = openAgentStore(dir);
  const agent = await deriveIdentity(store.seed);
  const phone = await deriveIdentity(new Uint8Array(32).fill(2));
  const window = await newX25519();
  const device = toHex(phone.ed25519Public);
  const channelId = `${device}.${toHex(window.publicKey).slice(0, 16)}`;
  store.tables.devices.upsert(device, 'Phone', 1, supports);
  store.tables.pairings.insert({
    channelId,
    device,
    deviceX25519: phone.x25519Public,
    agentX25519Public: window.publicKey,
    agentX25519Secret: window.secretKey,
    windowId: '00',
    platform: 1,
    pairedAt: 1,
  });
  store.tables.pairings.confirm(channelId, true);
  store.tables.pairings.trust(channelId);
  store.close();
  const channel = await suiteV2.open({
    role: 'device',
    namespaceId: await namespaceIdOf(agent.ed25519Public),
    agentEd25519: agent.ed25519Public,
    deviceEd25519: phone.ed25519Public,
    mySecret: phone.x25519Secret,
    theirPublic: window.publicKey,
  });
  return { device, channel };
}

const wording: Wording = {
  summary: (toolName) => toolName,
  async words(toolName) {
    const blocks = [{ type: 'key_value' as const, key: 'Tool', value: toolName }];
    return { view: { v: 1, summary: toolName, blocks }, risk: { level: 'normal', reasons: [] } };
  },
};
