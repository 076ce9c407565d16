/**
 * Puts the parts of an agent together over one store and one link. The only file that knows them all; must hold no
 * rule of its own.
 */
import { shortId } from '@countersign/protocol';
import { signEd25519 } from '@countersign/protocol/auth';
import { type Link, type LinkHandler, openLink, type PeerChannel } from '@countersign/protocol/link';
import { Admission, Authorizer, Channels, DeviceBook, Windows } from '../devices/index.js';
import {
  Acks,
  Decisions,
  Items,
  LiveSends,
  Notifier,
  outcomeWords,
  PushReports,
  Requests,
  Restart,
  Secrets,
  Snapshots,
  type Wording,
} from '../inbox/index.js';
import type { Tables } from '../store/index.js';
import { Background } from './background.js';
import { Connection } from './connection.js';
import type { Core } from './core.js';
import { HouseKeeping } from './house-keeping.js';
import { Intake } from './intake.js';
import { Payloads } from './payloads.js';
import type { Settings } from './settings.js';

export type Parts = ReturnType<typeof assemble>;

export function assemble(core: Core, settings: Settings, wording: Wording) {
  const background = new Background(core.log);
  const channels = new Channels(core);
  const book = new DeviceBook(core);
  const secrets = new Secrets();
  const connection = new Connection(core);
  const getLink = () => link;
  const live = new LiveSends(getLink, channels);
  const snapshots = new Snapshots(core, book, live, channels, background);
  const acks = new Acks(core, getLink, channels, live, background);
  const notifier = new Notifier({ core, book, channels, background, link: getLink });
  const items = new Items(core, {
    pending(row) {
      notifier.pending(row.requestId);
      snapshots.changed();
    },
    ended(row, decidedBy) {
      notifier.ended(row, outcomeWords(row), decidedBy);
      snapshots.changed();
    },
  });
  const { receipts, bypassCeilingSecs } = settings;
  const policy = { receipts, bypassCeilingSecs };
  const decisions = new Decisions({ core, items, acks, secrets, policy });
  const restart = new Restart({ core, items, notifier }, settings.reopenGraceMs);
  const authorizer = new Authorizer(core, book, getLink, (listed, known) =>
    connection.authorized(listed, known),
  );
  const windows = new Windows(core, book, getLink);
  const admission = new Admission(core, book, getLink);
  const pushReports = new PushReports(core, book);
  const requests = new Requests({ core, book, items, secrets, wording, pushReports });
  const houseKeeping = new HouseKeeping(core, windows);
  const reachable = (deviceId: string) => {
    book.setOnline(deviceId, true);
    if (live.onReachable(deviceId)) snapshots.sendTo(deviceId);
  };
  const authorize = () => authorizer.authorizeSoon();
  const payloads = new Payloads({ core, book, channels, decisions, snapshots, acks, restart, authorize });
  const intake = new Intake({ core, book, channels, snapshots, payloads, background, heard: reachable });
  const handler = linkHandler({
    core,
    background,
    channels,
    book,
    live,
    snapshots,
    authorizer,
    windows,
    admission,
    intake,
    connection,
    pushReports,
    reachable,
    getLink,
    settings,
  });
  const link: Link = openAgentLink(core, settings, handler);
  return {
    core,
    settings,
    background,
    channels,
    book,
    secrets,
    connection,
    snapshots,
    notifier,
    items,
    restart,
    authorizer,
    windows,
    admission,
    requests,
    houseKeeping,
    intake,
    link,
  };
}

interface HandlerParts {
  core: Core;
  settings: Settings;
  background: Background;
  channels: Channels;
  book: DeviceBook;
  live: LiveSends;
  snapshots: Snapshots;
  authorizer: Authorizer;
  windows: Windows;
  admission: Admission;
  intake: Intake;
  connection: Connection;
  pushReports: PushReports;
  reachable(deviceId: string): void;
  getLink(): Link;
}

function linkHandler(parts: HandlerParts): LinkHandler<Tables> {
  const { core, background, channels, book, live, snapshots, intake, connection } = parts;
  return {
    async channelsOf(peer): Promise<PeerChannel[]> {
      return Promise.all(core.store.tables.pairings.ofDevice(peer).map((row) => channels.of(row)));
    },
    onPayload: (incoming) => intake.onPayload(incoming),
    onPresence(peer, online) {
      if (online && book.get(peer) !== undefined) parts.reachable(peer);
      else book.setOnline(peer, false);
    },
    onPeerOffline(peer) {
      // A relay may name anybody, as often as it likes.
      if (book.get(peer) === undefined) return;
      book.setOnline(peer, false);
      live.onPeerOffline(peer);
    },
    onGivenUp({ peer, reason }) {
      // What it said of an item the snapshot says too; the person hears of it by that.
      core.log.warn('message_refused', { device: shortId(peer), code: reason.code });
    },
    onClientPaired: (paired) => parts.admission.onClientPaired(paired),
    onPushReport: (report) => parts.pushReports.onReport(report),
    async onOnline() {
      live.onLogin();
      await background.attempt('authorize_failed', () => parts.authorizer.authorize());
      await parts.windows.reopen();
      await background.attempt('presence_failed', () => askPresence(parts));
      snapshots.changed();
      // The connection may have gone while all that was asked.
      if (parts.getLink().state.phase === 'online') connection.ready();
    },
    onState(state) {
      if (state.phase !== 'online') book.allOffline();
      connection.onState(state);
    },
    onRelayBindingSeen() {
      core.store.tables.meta.put(`bound:${parts.settings.authority}`, '1');
    },
  };
}

async function askPresence({ book, live, getLink }: HandlerParts): Promise<void> {
  const online = new Set(await getLink().presence());
  for (const { deviceId } of book.list()) {
    book.setOnline(deviceId, online.has(deviceId));
    if (!online.has(deviceId)) live.away(deviceId);
  }
}

function openAgentLink(core: Core, settings: Settings, handler: LinkHandler<Tables>): Link {
  const { identity, namespaceId, store, clock, log } = core;
  return openLink<Tables>({
    relayUrl: settings.relayUrl,
    identity: {
      role: 'agent',
      namespaceId,
      ed25519Public: identity.ed25519Public,
      sign: (message) => signEd25519(message, identity.ed25519Secret),
    },
    store: store.peer,
    handler,
    binding: bindingOf(core, settings),
    invite: settings.invite,
    ca: settings.ca,
    clock,
    logger: log,
  });
}

/** An original relay may answer unbound until it once answered bound; from then on it must (01 §3). */
export function bindingOf(core: Pick<Core, 'store'>, settings: Settings): 'required' | 'unless_original' {
  const seen = core.store.tables.meta.get(`bound:${settings.authority}`) !== undefined;
  return settings.originalRelay && !seen ? 'unless_original' : 'required';
}
