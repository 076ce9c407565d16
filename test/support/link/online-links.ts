/** Links of a test file, at a relay that does as told, closed after each test. */

import type { FrameOf } from '@countersign/protocol';
import { unframe } from '@countersign/protocol/e2e';
import type { PeerChannel } from '@countersign/protocol/link';
import { afterEach } from 'vitest';
import type { FakeRelay, RelaySide } from './fake-relay.js';
import { makePeers, type TestPeers } from './peers.js';
import { type TestLink, type TestLinkOptions, testLink } from './test-link.js';

export interface OnlineLink extends TestLink {
  readonly side: RelaySide;
}

const open: TestLink[] = [];

/** Call once per file. */
export function closeLinksAfterEach(): void {
  afterEach(async () => {
    await Promise.all(open.splice(0).map((test) => test.stop()));
  });
}

/** Not started. */
export async function made(options: TestLinkOptions = {}): Promise<TestLink> {
  const test = await testLink(options);
  open.push(test);
  return test;
}

/** Logged in; the relay grants `window` alone unless told otherwise. */
export async function online(
  options: TestLinkOptions = {},
  capabilities?: string[],
  more?: Parameters<FakeRelay['loggedIn']>[1],
): Promise<OnlineLink> {
  const test = await made(options);
  test.link.start();
  const side = await test.relay.loggedIn(capabilities, more);
  await test.phase('online');
  return { ...test, side };
}

/** The same link at its next connection. */
export async function again({ relay, link, phase }: TestLink, capabilities?: string[]): Promise<RelaySide> {
  await phase('waiting');
  link.retryNow();
  const side = await relay.loggedIn(capabilities);
  await phase('online');
  return side;
}

/** What the device reads in a message of the agent. */
export async function opened({ atDevice }: TestPeers, message: FrameOf<'message'>): Promise<unknown> {
  const plain = await atDevice.sealed.open(message.nonce, message.ciphertext);
  const body = await unframe(plain?.framed ?? new Uint8Array());
  return JSON.parse(new TextDecoder().decode(body.ok));
}

/** A second device of the same agent, as the agent sees it. */
export async function anotherChannel(): Promise<PeerChannel> {
  return (await makePeers(3)).atAgent;
}
