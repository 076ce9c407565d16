/** What both platforms share: constants and tiny pure helpers. Must not know a runtime. */
import type { Socket, SocketEvents } from './platform.js';

/** Tag length of AES-GCM here, always (NIST SP 800-38D allows shorter ones, which we never take). */
export const GCM_TAG_BYTES = 16;

/** Longest delay of a runtime's timer (2^31 − 1 ms, 24.8 days); above it they fire at once. */
export const MAX_TIMER_MS = 0x7fffffff;

/** Close code of a message above the limit (RFC 6455 §7.4.1). */
export const CLOSE_TOO_BIG = 1009;

/** Close code that says there was no close frame. */
export const CLOSE_ABNORMAL = 1006;

/** Longest reason that fits a close frame (RFC 6455 §5.5: 125 bytes with the code). */
const MAX_REASON_BYTES = 123;

/** Whether every byte from `start` on is zero; also true at or behind the end. */
export function isZeroFrom(data: Uint8Array, start: number): boolean {
  for (let at = start; at < data.length; at++) if (data[at] !== 0) return false;
  return true;
}

/** The reason cut at a character so that it fits a close frame. */
export function fitReason(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_BYTES), { stream: true });
}

/** Runtimes also take http(s), relative or `ws+unix:` addresses, each in its own way; the port does not. */
export function isSocketUrl(url: string): boolean {
  return /^wss?:\/\//i.test(url);
}

/** A short machine word as the cause of a failed connection; anything else is third-party text and left out. */
export function causeWord(code: unknown): string {
  return typeof code === 'string' && /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : 'failed';
}

/** What a socket is that never was: a URL that cannot be dialled. */
export function deadSocket(events: SocketEvents): Socket {
  queueMicrotask(() => events.onClose({ code: CLOSE_ABNORMAL, reason: '', cause: 'invalid_url' }));
  const nothing = () => {};
  return {
    canPing: false,
    bufferedBytes: 0,
    send: nothing,
    ping: nothing,
    pong: nothing,
    close: nothing,
    terminate: nothing,
  };
}
