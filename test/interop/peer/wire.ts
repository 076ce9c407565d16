/** One WebSocket to a relay, frame by frame, with pings in the test's hands. Knows 01 §1 and the login of §3. */
import { once } from 'node:events';
import WebSocket from 'ws';
import { challengeText, type Identity } from './crypto.js';
import { decode, encode, type Frame, type FrameName, type Members } from './frames.js';

const WAIT_MS = 5_000;

export interface WireOptions {
  headers?: Record<string, string>;
  path?: string;
  /** False: pings are kept in `pings` and answered only by `pong`. */
  autoPong?: boolean;
}

export interface Ending {
  code: number;
  reason: string;
}

export class Wire {
  readonly socket: WebSocket;
  readonly pings: Buffer[] = [];
  readonly ended: Promise<Ending>;
  /** Every frame that came, with its bytes, in order. */
  readonly history: { frame: Frame; bytes: Buffer }[] = [];
  private taken = 0;
  private over = false;
  private wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, binary) => {
      this.history.push({
        frame: binary ? decode(data) : { name: 'unknown', is: { text: data } },
        bytes: data,
      });
      this.wake();
    });
    socket.on('ping', (data) => {
      this.pings.push(data);
      this.wake();
    });
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.over = true;
        resolve({ code, reason: reason.toString() });
        this.wake();
      });
    });
  }

  static async open(relayUrl: string, options: WireOptions = {}): Promise<Wire> {
    const { headers = {}, path = '/v1/ws', autoPong = true } = options;
    const socket = new WebSocket(`${relayUrl}${path}`, { headers, autoPong, perMessageDeflate: false });
    const wire = new Wire(socket);
    await once(socket, 'open');
    return wire;
  }

  /** Waits until `ready` holds, looked at after everything that comes. */
  async until<T>(ready: () => T | undefined, what: string): Promise<T> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const value = ready();
      if (value !== undefined) return value;
      const left = deadline - Date.now();
      if (this.over || left <= 0) throw new Error(`${this.over ? 'closed' : 'silence'} instead of ${what}`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }

  async next(what = 'a frame'): Promise<Frame> {
    return (await this.nextWithBytes(what)).frame;
  }

  async nextWithBytes(what = 'a frame'): Promise<{ frame: Frame; bytes: Buffer }> {
    const got = await this.until(() => this.history[this.taken], what);
    this.taken += 1;
    return got;
  }

  /** The next frame, which must be of that name; its members. */
  async take(name: FrameName): Promise<Members> {
    const frame = await this.next(name);
    if (frame.name !== name) throw new Error(`${frame.name} ${JSON.stringify(frame.is)} instead of ${name}`);
    return frame.is;
  }

  /** The next frame of that name, past presence events. */
  async takePast(name: FrameName): Promise<Members> {
    for (;;) {
      const frame = await this.next(name);
      if (frame.name === name) return frame.is;
      if (frame.name !== 'presence_event') throw new Error(`${frame.name} instead of ${name}`);
    }
  }

  /** Names of frames that came and were not taken. */
  waiting(): string[] {
    return this.history.slice(this.taken).map(({ frame }) => frame.name);
  }

  /**
   * Resolves when the relay has dealt with all that was sent: it answers a peer's ping only then (01 §5), and what
   * it wrote before the pong has come.
   */
  async settled(): Promise<void> {
    const mark = Buffer.from(String(Math.random()));
    const pong = new Promise<void>((resolve) => {
      const listen = (data: Buffer) => {
        if (!data.equals(mark)) return;
        this.socket.off('pong', listen);
        resolve();
      };
      this.socket.on('pong', listen);
    });
    this.socket.ping(mark);
    await Promise.race([pong, this.ended]);
  }

  send(name: FrameName, members: Members = {}): void {
    this.socket.send(encode(name, members));
  }

  sendRaw(bytes: Buffer | string): void {
    this.socket.send(bytes, { binary: typeof bytes !== 'string' });
  }

  pong(data: Buffer): void {
    this.socket.pong(data);
  }

  async challenge(): Promise<Buffer> {
    return (await this.take('challenge')).nonce as Buffer;
  }

  /** Signs the challenge and sends `auth` with these members beside the signature. */
  async authenticate(who: Identity, members: Members): Promise<void> {
    const signature = who.sign(challengeText(await this.challenge()));
    this.send('auth', { signature, ...members });
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.ended;
  }

  kill(): void {
    this.socket.terminate();
  }
}
