/**
 * A tap on a notification: opens its item, or takes the answer of a button. The connection belongs to one context of
 * the device, so a page that has it answers; without a page the worker connects for the moment.
 */
import type { ShownAnswer } from '@countersign/client-sdk';
import { summaryLine } from '@countersign/protocol/blocks';
import { giveShown } from '../push/give-shown.js';
import { readItemName, readShownOutcome, type ShownOutcome, TAKEN, type ToPage } from '../push/messages.js';
import { History } from '../state/history.js';
import { placeHash } from '../state/place.js';
import { openHere } from './connect.js';
import { type Notice, tagOf } from './notice.js';
import { pagesOf } from './pages.js';
import { peekInbox } from './peek.js';
import { type Opened, type WorkerPorts, withStored } from './ports.js';
import { answerOf } from './screen.js';

/** A page that is frozen in the background does not say a word. */
const TAKING_MS = 2_000;
const ANSWERING_MS = 35_000;

export interface Tapped {
  readonly action: string;
  readonly title: string;
  readonly data: unknown;
}

export async function tapped(tap: Tapped, ports: WorkerPorts): Promise<void> {
  const answer = answerOf(tap.action, tap.data);
  if (answer === undefined) await openPlace(tap.data, ports);
  else await takeAnswer(answer, tap.title, ports);
}

async function openPlace(data: unknown, { clients, scope }: WorkerPorts): Promise<void> {
  const item = readItemName(data);
  const pages = await pagesOf(clients, scope);
  const page = pages.find(({ visibilityState }) => visibilityState === 'visible') ?? pages[0];
  if (page === undefined) {
    await clients.openWindow(`./${item === undefined ? '' : placeHash({ screen: 'item', ...item })}`);
    return;
  }
  const message: ToPage = item === undefined ? { type: 'go_inbox' } : { type: 'go', ...item };
  page.postMessage(message);
  await page.focus();
}

async function takeAnswer(answer: ShownAnswer, title: string, ports: WorkerPorts): Promise<void> {
  await withStored(ports, async (opened) => {
    const say = opened.say;
    const notice = (body: string, isOver = false): Notice => ({
      title,
      body: `${body}\n${summaryLine(answer.summary)}`,
      tag: tagOf(answer),
      buttons: [],
      quiet: true,
      data: {
        pairingId: answer.pairingId,
        requestId: answer.requestId,
        summary: answer.summary,
        ...(isOver && { ended: 'yes' }),
      },
    });
    await ports.screen.show(notice(say(`working_${answer.decision}`)));
    const outcome = (await askPages(answer, ports)) ?? (await answerHere(answer, opened, ports));
    const said = outcome === 'confirmed' ? (`confirmed_${answer.decision}` as const) : wordOf(outcome);
    // What is over stays until the person has seen it; what is not, the app tidies away with its item.
    await ports.screen.show(notice(say(said), outcome === 'confirmed' || outcome === 'ended'));
    await ports.screen.badge((await peekInbox(opened.storage)).badge);
  });
}

/** Undefined when no page has the connection, or none stirs. */
async function askPages(
  answer: ShownAnswer,
  { clients, scope }: WorkerPorts,
): Promise<ShownOutcome | undefined> {
  const pages = await pagesOf(clients, scope);
  const asked = pages.map((page) => askPage(page, { type: 'answer', ...answer }));
  return (await Promise.all(asked)).find((outcome) => outcome !== undefined);
}

/** The page says at once that it takes the answer, and then what became of it. */
function askPage(page: WindowClient, message: ToPage): Promise<ShownOutcome | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    let timer = setTimeout(() => resolve(undefined), TAKING_MS);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      // Whether it sent anything, nobody can tell from here: its outbox knows.
      timer = setTimeout(() => resolve('on_its_way'), ANSWERING_MS);
      if (data !== TAKEN) resolve(readShownOutcome(data) ?? 'look');
    };
    page.postMessage(message, [port2]);
  });
}

async function answerHere(answer: ShownAnswer, opened: Opened, ports: WorkerPorts): Promise<ShownOutcome> {
  const client = await openHere(opened, ports);
  const history = await History.open(opened.database);
  const outcome = await giveShown(answer, { client, history, now: ports.now });
  await history.follow({ client });
  await client.close();
  return outcome;
}

function wordOf(outcome: Exclude<ShownOutcome, 'confirmed'>) {
  return outcome === 'ended' ? 'outcome_ended' : outcome;
}
