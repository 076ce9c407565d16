/** Runs in the page: the known answers of the protocol, with the browser's own cryptography. */
import {
  type CountersignVectors,
  countersignKnownAnswers,
  type RelayVectors,
  relayKnownAnswers,
} from '@countersign/protocol/e2e';

/** Names of answers that came out wrong, and how many there were. */
export async function checkVectors(published: RelayVectors, ours: CountersignVectors) {
  const answers = [...relayKnownAnswers(published), ...countersignKnownAnswers(published, ours)];
  const wrong: string[] = [];
  for (const { name, expected, actual } of answers) if ((await actual()) !== expected) wrong.push(name);
  return { count: answers.length, wrong };
}
