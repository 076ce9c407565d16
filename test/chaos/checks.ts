/** What must hold between two peers once everything has arrived (01 §5). Must not know how it was brought about. */
import type { Party } from './party.js';
import type { Applied } from './party-store.js';
import type { Namespace } from './world.js';

/**
 * What one sent another: all that was promised, once, in order, and nothing that was not sent.
 * @throws Error that says what did not hold.
 */
export function checkPair(from: Party, to: Party): void {
  const applied = to.appliedFrom(from.hex);
  const words = `${from.options.name} to ${to.options.name}`;
  const tried = from.tried.get(to.hex) ?? new Set();
  const seen = new Set(applied.map(({ n }) => n));
  const lost = [...(from.queued.get(to.hex) ?? [])].filter((n) => !seen.has(n));
  if (lost.length > 0)
    throw new Error(`${words}: ${lost.length} messages were lost, the first is ${lost[0]}`);
  checkAccepted(words, from, to.hex, applied);
  if (seen.size < applied.length) throw new Error(`${words}: a message took effect twice`);
  const strange = applied.find(({ n }) => !tried.has(n));
  if (strange !== undefined) throw new Error(`${words}: ${strange.n} was never sent`);
  checkOrder(
    words,
    applied.filter(({ live }) => !live),
  );
}

/** What the relay said it holds has arrived, whether or not its sender lived to hear that it was queued. */
function checkAccepted(words: string, from: Party, peer: string, applied: readonly Applied[]): void {
  const arrived = new Set(applied.map(({ counter }) => counter));
  for (const id of from.accepted) {
    const sealed = from.sealed.get(id);
    if (sealed === undefined) throw new Error(`${words}: the relay accepted ${id}, which was never queued`);
    if (sealed.peer === peer && !arrived.has(sealed.counter))
      throw new Error(`${words}: the accepted message with counter ${sealed.counter} was lost`);
  }
}

/** Of queued messages: live ones are sent here without waiting for each other, and wait 2 s at most for those queued. */
function checkOrder(words: string, applied: readonly Applied[]): void {
  const late = applied.findIndex(({ n }, at) => at > 0 && n < (applied[at - 1]?.n ?? 0));
  if (late > 0)
    throw new Error(`${words}: ${told(applied[late])} took effect after ${told(applied[late - 1])}`);
}

function told(message: Applied | undefined): string {
  return `${message?.live ? 'the live' : 'the queued'} ${message?.n}`;
}

/** Who is online and not known to be, in words; undefined when all are known. */
export async function unseenIn({ agent, devices }: Namespace): Promise<string | undefined> {
  for (const device of devices) {
    if (agent.presence.get(device.hex) === false) return 'a device that is online is said to be offline';
    if (device.presence.get(agent.hex) === false) return 'an agent that is online is said to be offline';
  }
  // A busy machine may take longer to answer than a hasty link waits: it comes again, and is asked again.
  const listed = await agent.link?.presence().catch(() => undefined);
  if (listed === undefined) return 'an agent hears no presence list';
  const missing = [agent, ...devices].find(({ hex }) => !listed.includes(hex));
  return missing && `${missing.options.name} is online and not in the presence list`;
}
