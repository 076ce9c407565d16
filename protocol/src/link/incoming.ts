/**
 * One sealed message from arrival to its durable effect: candidates tried, framing undone, JSON parsed, effect
 * prepared and run in the store's receive transaction (02 §2). Must not know connections or confirmations.
 */
import { unframe } from '../e2e/index.js';
import { type MessageFrame, SEAL, toHex, WIRE } from '../frames/index.js';
import { parseStrict } from '../json/index.js';
import type { Effect, Incoming, LinkHandler, PeerChannel, PeerStore, Withheld } from './ports.js';
import { StorageFailure } from './storage-failure.js';

/** Why a message had no effect. It counts as dealt with all the same: it would fail again. */
export type DropReason =
  | 'undecryptable'
  | 'unknown_peer'
  | 'duplicate'
  | 'outside_window'
  | 'malformed'
  | 'version'
  | 'compression'
  | 'too_large'
  | 'handler_failed';

/** Neither: it had its effect, and may be confirmed. */
export interface Applied {
  readonly dropped?: DropReason | undefined;
  readonly withheld?: Withheld | undefined;
}

type Payload = Record<string, unknown>;

/**
 * Resolves with why it had no effect, if so, and with what its confirmation waits for.
 * @throws StorageFailure, or whatever the handler threw; then nothing was applied, or `after` did not finish.
 */
export async function applyMessage<Tx>(
  message: MessageFrame,
  handler: LinkHandler<Tx>,
  store: Pick<PeerStore<Tx>, 'receive'>,
): Promise<Applied> {
  if (!isSound(message)) return { dropped: 'malformed' };
  const channels = await handler.channelsOf(toHex(message.peer));
  if (channels.length === 0) return { dropped: 'unknown_peer' };
  const opened = await openAny(channels, message);
  if (!opened) return { dropped: 'undecryptable' };
  const body = await unframe(opened.framed);
  if (body.dropped !== undefined) return { dropped: body.dropped };
  const payload = parseObject(body.ok);
  if (!payload) return { dropped: 'malformed' };
  const { channel, counter } = opened;
  return runEffect({ channel, counter, live: message.live, payload }, handler, store);
}

function isSound({ peer, nonce, ciphertext }: MessageFrame): boolean {
  return (
    peer.length === WIRE.ed25519PublicBytes &&
    nonce.length === WIRE.messageNonceBytes &&
    ciphertext.length >= WIRE.minCiphertextBytes
  );
}

async function openAny(channels: readonly PeerChannel[], { nonce, ciphertext }: MessageFrame) {
  for (const channel of channels) {
    const opened = await channel.sealed.open(nonce, ciphertext);
    if (opened) return { channel, ...opened };
  }
  return undefined;
}

function parseObject(json: Uint8Array): Payload | undefined {
  try {
    const value = parseStrict(json, { numbers: 'any', maxBytes: SEAL.maxInflatedBytes });
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function runEffect<Tx>(
  incoming: Incoming,
  handler: LinkHandler<Tx>,
  store: Pick<PeerStore<Tx>, 'receive'>,
): Promise<Applied> {
  const effect = await handler.onPayload(incoming);
  const verdict = await receive(incoming, effect, store);
  if (verdict === 'outside') return { dropped: 'outside_window' };
  await effect?.after?.(verdict);
  return { withheld: effect?.withheld?.(), dropped: verdict === 'duplicate' ? 'duplicate' : undefined };
}

/** Tells a store that failed from an effect that threw: only the latter may be the message's fault. */
async function receive<Tx>(
  { channel, counter }: Incoming,
  effect: Effect<Tx> | undefined,
  store: Pick<PeerStore<Tx>, 'receive'>,
) {
  let effectFailed = false;
  const failed = (error: unknown) => {
    effectFailed = true;
    throw error;
  };
  try {
    return await store.receive(channel.id, counter, (tx, verdict) => {
      try {
        // Not awaited here: a transaction may be synchronous, and then its effect is.
        const running = effect?.apply(tx, verdict);
        return running instanceof Promise ? running.catch(failed) : undefined;
      } catch (error) {
        return failed(error);
      }
    });
  } catch (error) {
    throw effectFailed ? error : new StorageFailure('receive', { cause: error });
  }
}
