/** `list`, `show`, `bypasses`, `end-bypass`. Must not know how answers are given. */
import { escapeToLine } from '@countersign/protocol/blocks';
import type { InboxSnapshot } from '../../api.js';
import { type GlobalOptions, isSettled, whenInbox, withClient } from '../device.js';
import { CliError, EXIT } from '../exit-codes.js';
import { findItem } from '../find-item.js';
import type { Io, Output } from '../io.js';
import { itemJson, statusJson } from '../item-json.js';
import { renderItem, renderRow } from '../render-item.js';

export interface ListOptions extends GlobalOptions {
  /** Seconds. */
  wait: number;
  brief?: boolean;
  raw?: boolean;
}

export function listCommand(options: ListOptions, io: Io, output: Output): Promise<number> {
  const openedAt = Date.now();
  return withClient(options, io, async (client) => {
    await whenInbox(client, isSettled(openedAt), options.wait * 1000, io.interrupted);
    const inbox = client.inbox.get();
    const items = inbox.items.map((item) => (options.brief ? renderRow(item) : renderItem(item, options)));
    const text = [...items, ...problemLines(inbox), summaryOf(inbox)].join(options.brief ? '\n' : '\n\n');
    output.result(
      { items: inbox.items.map(itemJson), badge: inbox.badge, pairings: statusJson(inbox) },
      text,
    );
    return EXIT.done;
  });
}

export function showCommand(id: string, options: ListOptions, io: Io, output: Output): Promise<number> {
  const openedAt = Date.now();
  return withClient(options, io, async (client) => {
    const found = await findItem(client, id, { openedAt, ms: options.wait * 1000 }, io);
    const item = found.whole ? found : ((await client.load(found)) ?? found);
    output.result({ item: itemJson(item) }, renderItem(item, options));
    return EXIT.done;
  });
}

export function bypassesCommand(options: ListOptions, io: Io, output: Output): Promise<number> {
  const openedAt = Date.now();
  return withClient(options, io, async (client) => {
    await whenInbox(client, isSettled(openedAt), options.wait * 1000, io.interrupted);
    const { bypasses } = client.inbox.get();
    const rows = bypasses.map(({ id, agentName, toolName, remainingMs }) => {
      const until =
        remainingMs === null ? 'until its session ends' : `${Math.ceil(remainingMs / 1000)} s left`;
      return `${escapeToLine(id)}  ${agentName}: ${toolName}  ${until}`;
    });
    output.result({ bypasses }, rows.length === 0 ? 'No standing approvals.' : rows.join('\n'));
    return EXIT.done;
  });
}

export function endBypassCommand(id: string, options: ListOptions, io: Io, output: Output): Promise<number> {
  const openedAt = Date.now();
  return withClient(options, io, async (client) => {
    const isThere = (inbox: InboxSnapshot) => inbox.bypasses.some((one) => one.id === id);
    const settled = isSettled(openedAt);
    await whenInbox(client, (inbox) => isThere(inbox) || settled(inbox), options.wait * 1000, io.interrupted);
    const bypass = client.inbox.get().bypasses.find((one) => one.id === id);
    if (bypass === undefined)
      throw new CliError(EXIT.notFound, 'no_such_bypass', 'No such standing approval.');
    await client.endBypass(bypass.pairingId, id);
    output.result({ event: 'bypass_ended', id }, 'The agent is told to end it.');
    return EXIT.done;
  });
}

export function problemLines(inbox: InboxSnapshot): string[] {
  return inbox.pairings.flatMap(({ agentName, problem }) =>
    problem === undefined ? [] : [`${escapeToLine(agentName)}: ${problem.message}`],
  );
}

function summaryOf(inbox: InboxSnapshot): string {
  if (inbox.pairings.length === 0) {
    return 'This device is not paired. Get a link at the agent ("countersign pair"), then run: countersign-phone pair LINK';
  }
  const away = inbox.pairings.filter(({ agentOnline }) => agentOnline === false).length;
  const note = away === 0 ? '' : `, ${away} of ${inbox.pairings.length} agents not online`;
  return `${inbox.badge} pending${note}`;
}
