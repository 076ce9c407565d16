import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScriptedAgent } from '../../../test/support/scripted-agent.js';
import type { PairingSession } from '../api.js';
import { SOCKET_LIMITS } from './limits.js';
import { connectAgentSocket, type RemoteAgent } from './remote-agent.js';
import { type AgentSocket, type ServeOptions, serveAgentSocket } from './serve.js';

let root: string;
let dir: string;
let agent: ScriptedAgent;
const cleanups: Array<() => unknown> = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cs-test-'));
  dir = root;
  agent = new ScriptedAgent();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(root, { recursive: true, force: true });
});

async function serve(options: ServeOptions = {}): Promise<AgentSocket> {
  const socket = await serveAgentSocket(agent, dir, { program: 'a test', ...options });
  cleanups.push(() => socket.close());
  return socket;
}

async function remote(): Promise<RemoteAgent> {
  const client = await connectAgentSocket(dir);
  cleanups.push(() => client.close());
  return client;
}

interface RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  say(text: string | Uint8Array): void;
  call(call: object): void;
  next(): Promise<Record<string, unknown>>;
}

async function raw(options: { allowHalfOpen?: boolean } = {}): Promise<RawClient> {
  const socket = connect({ path: join(dir, 'agent.sock'), ...options });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  cleanups.push(() => socket.destroy());
  const client: RawClient = {
    socket,
    closed,
    say: (text) => socket.write(text),
    call: (call) => socket.write(`${JSON.stringify({ v: 1, ...call })}\n`),
    next: async () => JSON.parse((await lines.next()).value as string) as Record<string, unknown>,
  };
  expect(await client.next()).toMatchObject({ v: 1, hello: { program: 'a test', pid: process.pid } });
  return client;
}

const request = { toolName: 'send_email', argumentsText: '{"to":"a@example.org"}' };

describe('the socket of a directory', () => {
  it('is readable by its user only and is gone after a close', async () => {
    const socket = await serve();
    expect(statSync(socket.path).mode & 0o777).toBe(0o600);
    await socket.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('takes the place of one that a killed owner left', async () => {
    const left = createServer().listen(join(dir, 'old'));
    cleanups.push(() => left.close());
    writeFileSync(join(dir, 'agent.sock'), '');
    await serve();
    expect((await remote()).owner.program).toBe('a test');
  });

  it('moves to a private temporary directory when its path is too long for a socket', async () => {
    dir = join(dir, 'x'.repeat(SOCKET_LIMITS.maxPathBytes));
    mkdirSync(dir, { mode: 0o700 });
    const socket = await serve();
    expect(statSync(dirname(socket.path)).mode & 0o777).toBe(0o700);
    expect(statSync(socket.path).mode & 0o777).toBe(0o600);
    expect((await remote()).owner.program).toBe('a test');
    const again = await serve();
    expect(() => statSync(dirname(socket.path))).toThrow();
    expect((await remote()).namespaceId).toBe(agent.namespaceId);
    await again.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('never removes what a forged pointer names', async () => {
    const precious = join(dir, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'agent.sock'), 'kept');
    writeFileSync(join(dir, 'agent.sock.path'), join(precious, 'agent.sock'));
    await serve();
    expect(readFileSync(join(precious, 'agent.sock'), 'utf8')).toBe('kept');
  });

  it.each([
    ['a directory that others may enter', 'countersign-1', 0o755],
    ['a directory nobody made for it', 'elsewhere', 0o700],
  ])('is not looked for in %s, whatever a pointer says', async (_, name, mode) => {
    const foreign = join(dir, name);
    mkdirSync(foreign, { mode });
    const heard = vi.fn();
    const impostor = createServer(heard).listen(join(foreign, 'agent.sock'));
    cleanups.push(() => impostor.close());
    writeFileSync(join(dir, 'agent.sock.path'), join(foreign, 'agent.sock'));
    await expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'closed' });
    expect(heard).not.toHaveBeenCalled();
  });

  it('is told apart from a directory nobody serves', async () => {
    await expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a program that uses the agent of another one', () => {
  it('gets the outcome it asked for', async () => {
    await serve();
    const client = await remote();
    const onAsked = vi.fn();
    const outcome = client.requestApproval(request, { onAsked });
    const item = await agent.item(0);
    expect(item.request).toEqual({ cwd: process.cwd(), ...request });
    const by = { deviceId: 'd', name: 'Phone' };
    item.end({ status: 'rejected', text: 'no', stop: false, by });
    await expect(outcome).resolves.toMatchObject({ requestId: 'appr_0', status: 'rejected', text: 'no', by });
    expect(onAsked).toHaveBeenCalledExactlyOnceWith('appr_0');
  });

  it('hands back that the approved call ran or failed', async () => {
    await serve();
    const client = await remote();
    const approved = {
      status: 'approved',
      arguments: { __proto__: null, n: 1 },
      scope: 'once',
      modified: false,
    } as const;
    for (const index of [0, 1]) void agent.item(index).then((item) => item.end(approved));
    const ran = await client.run(request, (args) => args);
    expect(ran.result).toEqual({ n: 1 });
    const failing = client.run(request, () => {
      throw new Error('disk full');
    });
    await expect(failing).rejects.toThrow('disk full');
    expect(agent.told).toEqual(['done appr_0', 'failed appr_1: Error']);
  });

  it('keeps every argument as it was written', async () => {
    await serve();
    const client = await remote();
    const args = JSON.parse('{"__proto__":{"a":1},"lone":"\\ud800","n":1e300}') as unknown;
    const outcome = client.requestApproval({ toolName: 't', arguments: args });
    const item = await agent.item(0);
    item.end({ status: 'expired' });
    await outcome;
    expect(JSON.stringify(item.request.arguments)).toBe(JSON.stringify(args));
  });

  it('withdraws an item when its signal says so', async () => {
    await serve();
    const client = await remote();
    const abort = new AbortController();
    const outcome = client.requestApproval(request, { signal: abort.signal });
    await agent.item(0);
    abort.abort();
    await expect(outcome).resolves.toMatchObject({ status: 'cancelled', reason: 'aborted' });
  });

  it('withdraws its items, and no others, when it goes', async () => {
    await serve();
    const [leaving, staying] = [await remote(), await remote()];
    const lost = leaving.requestApproval(request);
    const kept = staying.requestApproval(request);
    const [first, second] = [await agent.item(0), await agent.item(1)];
    const aborted = new Promise((resolve) => first.signal?.addEventListener('abort', resolve));
    await leaving.close();
    await expect(lost).rejects.toMatchObject({ code: 'closed' });
    await aborted;
    expect(second.signal?.aborted).toBe(false);
    second.end({ status: 'expired' });
    await expect(kept).resolves.toMatchObject({ status: 'expired' });
  });

  it('learns how its items ended when the owner closes', async () => {
    const socket = await serve();
    const client = await remote();
    const outcome = client.requestApproval(request);
    await agent.item(0);
    await socket.closeWithAgent();
    await expect(outcome).resolves.toMatchObject({ status: 'cancelled', reason: 'closed' });
    await vi.waitFor(() => expect(client.lost).toBe(true));
    await expect(client.pending()).rejects.toMatchObject({ code: 'closed' });
  });

  it('hears when the relay comes and goes', async () => {
    agent.connected = false;
    agent.problem = { code: 'timeout', message: 'away' };
    await serve();
    const client = await remote();
    expect([client.connected, client.problem?.message]).toEqual([false, 'away']);
    await expect(client.whenConnected({ timeoutMs: 1 })).rejects.toMatchObject({
      code: 'timeout',
      message: 'away',
    });
    const connected = client.whenConnected();
    agent.emit('connected', undefined);
    await connected;
    expect([client.connected, client.problem]).toEqual([true, undefined]);
  });

  it('never hears the text of an unexpected failure, and the log hears its name', async () => {
    const warn = vi.fn();
    await serve({ logger: { warn } });
    const failure = await (await remote()).startPairing().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(String(failure)).not.toContain('secret');
    expect(warn.mock.calls).toEqual([['call_failed', { method: 'startPairing', error: 'Error' }]]);
  });

  it('may end a daemon, but not a program of its own', async () => {
    await serve();
    await expect((await remote()).shutdown()).rejects.toMatchObject({ code: 'unsupported' });
    const shutdown = vi.fn();
    await serve({ shutdown });
    await (await remote()).shutdown();
    expect(shutdown).toHaveBeenCalledOnce();
  });
});

describe('a pairing window over the socket', () => {
  it('brings link and devices, takes the code, and ends with its client', async () => {
    let arrived: (() => void) | undefined;
    const stopped = vi.fn(async () => arrived?.());
    agent.pairing = {
      link: 'https://relay.example/app/#p=x',
      qrJson: '{}',
      expiresAt: 5,
      qr: vi.fn(),
      async *devices() {
        yield { deviceId: 'd1', platform: 'web' };
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      },
      confirm: async (deviceId, code) => (deviceId === 'd1' && code === 'RIGHT' ? 'ok' : 'wrong'),
      confirmUnverified: async () => 'closed',
      refuse: async () => undefined,
      stop: stopped,
    };
    await serve();
    const client = await remote();
    const session = await client.startPairing();
    expect([session.link, session.expiresAt]).toEqual(['https://relay.example/app/#p=x', 5]);
    expect(await session.qr('terminal')).toContain('█');
    for await (const device of session.devices()) {
      expect(device).toEqual({ deviceId: 'd1', platform: 'web' });
      break;
    }
    expect(await session.confirm('d1', 'WRONG')).toBe('wrong');
    expect(await session.confirm('d1', 'RIGHT')).toBe('ok');
    expect(await session.confirmUnverified('d1')).toBe('closed');
    await client.close();
    await vi.waitFor(() => expect(stopped).toHaveBeenCalled());
  });
});

describe('hostile lines', () => {
  it('of another version are refused by name, and the connection stays', async () => {
    await serve();
    const client = await raw();
    client.say('{"v":2,"id":7,"method":"pending"}\n');
    expect(await client.next()).toMatchObject({
      id: 7,
      error: { code: 'unsupported', details: { supported: 1 } },
    });
    client.call({ id: 8, method: 'pending' });
    expect(await client.next()).toEqual({ v: 1, id: 8, result: { items: [] } });
  });

  it.each(['nonsense', '__proto__', 'constructor', 'toString', ''])(
    'with the unknown method %j are refused',
    async (method) => {
      await serve();
      const client = await raw();
      client.call({ id: 1, method });
      expect(await client.next()).toMatchObject({ id: 1, error: { code: 'unsupported' } });
    },
  );

  it.each([
    ['a missing member', 'requestApproval', {}, 'toolName'],
    ['a member nobody knows', 'pending', { more: 1 }, 'parameters'],
    ['a wrong type', 'renameDevice', { deviceId: 1, name: 'x' }, 'deviceId'],
    ['a list for an object', 'notify', [], 'parameters'],
    ['an unknown risk', 'requestApproval', { toolName: 'x', risk: 'none' }, 'risk'],
  ])('with %s are refused by the name of the member', async (_, method, params, where) => {
    await serve();
    const client = await raw();
    client.call({ id: 1, method, params });
    const { error } = (await client.next()) as { error: { code: string; message: string } };
    expect(error.code).toBe('invalid_request');
    expect(error.message).toContain(where);
  });

  it.each([
    ['no JSON', 'hello?\n'],
    ['no object', '[1]\n'],
    ['null', 'null\n'],
    ['a call without an id', '{"v":1,"method":"pending"}\n'],
    ['a negative id', '{"v":1,"id":-1,"method":"pending"}\n'],
    ['a number beyond what is exact', '{"v":1,"id":9007199254740993,"method":"pending"}\n'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x0a])],
  ])('that are %s end the connection with bad_request', async (_, line) => {
    await serve();
    const client = await raw();
    client.say(line);
    expect(await client.next()).toMatchObject({ id: null, error: { code: 'bad_request' } });
    await client.closed;
  });

  it('that follow a line nobody could read are not taken, and a client that stays is let go', async () => {
    const socket = await serve();
    const client = await raw({ allowHalfOpen: true });
    client.say('hello?\n');
    expect(await client.next()).toMatchObject({ id: null, error: { code: 'bad_request' } });
    client.call({ id: 1, method: 'requestApproval', params: request });
    await vi.waitFor(() => expect(socket.clients).toBe(0));
    expect(agent.asked).toEqual([]);
  });

  it('that are too long end the connection before they are whole', async () => {
    await serve();
    const client = await raw();
    client.say(Buffer.alloc(SOCKET_LIMITS.maxLineBytes + 1, 0x20));
    expect(await client.next()).toMatchObject({ id: null, error: { code: 'payload_too_large' } });
    await client.closed;
  });

  it('that end an id still open are refused', async () => {
    await serve();
    const client = await raw();
    client.call({ id: 1, method: 'requestApproval', params: request });
    expect(await client.next()).toMatchObject({ id: 1, note: { asked: 'appr_0' } });
    client.call({ id: 1, method: 'requestApproval', params: request });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: 'invalid_request' } });
  });

  it('that report on an approval of somebody else are refused', async () => {
    await serve();
    const client = await raw();
    client.call({ id: 1, method: 'done', params: { requestId: 'appr_0' } });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: 'invalid_request' } });
    expect(agent.told).toEqual([]);
  });
});

describe('limits', () => {
  it('bound the calls of a client, who can still withdraw one', async () => {
    await serve();
    const client = await raw();
    for (let id = 0; id < SOCKET_LIMITS.maxOpenCalls; id++) {
      client.call({ id, method: 'requestApproval', params: request });
      await client.next();
    }
    client.call({ id: 1000, method: 'pending' });
    expect(await client.next()).toMatchObject({ id: 1000, error: { code: 'rate_limited' } });
    client.call({ id: 1001, method: 'cancel', params: { call: 0 } });
    const replies = [await client.next(), await client.next()];
    expect(replies).toContainEqual({ v: 1, id: 1001, result: {} });
    expect(replies).toContainEqual(
      expect.objectContaining({ id: 0, result: expect.objectContaining({ reason: 'aborted' }) }),
    );
  });

  it('bound the clients', async () => {
    const socket = await serve();
    const clients: RemoteAgent[] = [];
    for (let n = 0; n < SOCKET_LIMITS.maxConnections; n++) clients.push(await remote());
    expect(socket.clients).toBe(SOCKET_LIMITS.maxConnections);
    await expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'rate_limited' });
    await clients[0]?.close();
    await vi.waitFor(() => expect(socket.clients).toBe(SOCKET_LIMITS.maxConnections - 1));
    await remote();
  });

  it('end the oldest pairing window of a client for a new one', async () => {
    await serve();
    const client = await remote();
    const stopped: number[] = [];
    for (let n = 0; n <= SOCKET_LIMITS.maxPairings; n++) {
      agent.pairing = {
        link: '',
        qrJson: '',
        expiresAt: n,
        async *devices() {},
        stop: async () => void stopped.push(n),
      } as unknown as PairingSession;
      await client.startPairing();
    }
    await vi.waitFor(() => expect(stopped).toEqual([0]));
  });

  it('drop a client that does not read', async () => {
    const socket = await serve();
    const client = await raw();
    client.socket.pause();
    const device = { name: 'x'.repeat(1024 * 1024) } as never;
    for (let n = 0; n <= SOCKET_LIMITS.maxBufferedBytes / 1024 / 1024 + 1; n++) agent.emit('device', device);
    await vi.waitFor(() => expect(socket.clients).toBe(0));
  });

  it('refuse a call that no line can hold before it is sent', async () => {
    await serve();
    const client = await remote();
    const argumentsText = ' '.repeat(SOCKET_LIMITS.maxLineBytes);
    await expect(client.requestApproval({ toolName: 'x', argumentsText })).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(await client.pending()).toEqual([]);
  });

  it('forget the oldest approvals nobody reported on', async () => {
    await serve();
    const client = await remote();
    const outcomes = [];
    for (let n = 0; n <= SOCKET_LIMITS.maxApprovedCalls; n++) {
      const outcome = client.requestApproval(request);
      (await agent.item(n)).end({ status: 'approved' });
      outcomes.push(await outcome);
    }
    const [oldest, next] = outcomes as Array<{ done(): Promise<void> }>;
    await expect(oldest?.done()).rejects.toMatchObject({ code: 'invalid_request' });
    await next?.done();
    expect(agent.told).toEqual(['done appr_1']);
  });
});

describe('an owner that is not what it seems', () => {
  async function impostor(answer: (socket: Socket) => void): Promise<void> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      cleanups.push(() => socket.destroy());
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(join(dir, 'agent.sock'), resolve));
    cleanups.push(() => server.close());
  }

  it('is refused when it speaks another version', async () => {
    await impostor((socket) => socket.write('{"v":9,"hello":{}}\n'));
    await expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('is refused when it speaks nonsense', async () => {
    await impostor((socket) => socket.write('{"v":1,"hello":{"pid":"x"}}\n'));
    await expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('is given up when it says nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    cleanups.push(() => vi.useRealTimers());
    let reached: (() => void) | undefined;
    const dialled = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await impostor(() => reached?.());
    const failed = expect(connectAgentSocket(dir)).rejects.toMatchObject({ code: 'timeout' });
    await dialled;
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(SOCKET_LIMITS.greetingMs);
    await failed;
  });
});
