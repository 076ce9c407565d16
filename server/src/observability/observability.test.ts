import { describe, expect, it } from 'vitest';
import type { RelayEvent } from '../ports/index.js';
import { openEventLog, type StartUpFacts, startUpText } from './index.js';

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 16);

function logged(event: RelayEvent & Record<string, unknown>, level: 'info' | 'debug' = 'debug') {
  const lines: string[] = [];
  openEventLog(level, { write: (line) => lines.push(line) }).emit(event);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the event log', () => {
  it('shortens ids', () => {
    const [line] = logged({ event: 'login', role: 'agent', namespace: KEY, peer: KEY });
    expect(line).toMatchObject({ event: 'login', role: 'agent', namespace: '10111213', peer: '10111213' });
  });

  it('drops every field that is not listed, and listed ones of another type', () => {
    const [line] = logged({
      event: 'closed',
      role: 'client',
      closeCode: 1000,
      secret: 'x',
      operation: { deep: 'x' },
      reason: KEY,
    } as never);
    expect(Object.keys(line ?? {}).sort()).toEqual(['closeCode', 'event', 'level', 'role', 'time']);
  });

  it('says how bad a refused login is by its code', () => {
    expect(logged({ event: 'login_refused', role: 'agent', code: 'invalid_signature' })[0]?.level).toBe(40);
    expect(logged({ event: 'login_refused', role: 'agent', code: 'unauthorized' })[0]?.level).toBe(30);
    expect(logged({ event: 'login_refused', role: 'agent', code: 'constructor' })[0]?.level).toBe(30);
  });

  it('leaves refused frames to the level debug', () => {
    const event: RelayEvent = { event: 'frame_refused', code: 'not_found', namespace: KEY, peer: KEY };
    expect(logged(event, 'info')).toEqual([]);
  });

  it('says what to do about a host or a proxy that is not configured', () => {
    expect(logged({ event: 'host_unknown' })[0]?.msg).toContain('publicHosts');
    expect(logged({ event: 'forwarded_header_ignored' })[0]?.msg).toContain('trustedProxies');
  });
});

describe('the text at start-up', () => {
  const facts: StartUpFacts = {
    url: 'wss://0.0.0.0:443',
    tls: 'own',
    registration: 'invite',
    invite: 'the-invite',
    inviteIsNew: true,
    dataFile: '/var/lib/relay.sqlite',
    isOpenBehindProxy: false,
    push: [],
  };

  it('shows a new invite and the command that prints it again', () => {
    expect(startUpText(facts)).toContain(
      'invite the-invite  (print it again with: countersign-relay invite)',
    );
  });

  it('does not repeat a kept invite', () => {
    const text = startUpText({ ...facts, inviteIsNew: false });
    expect(text).not.toContain('the-invite');
    expect(text).toContain('print it with: countersign-relay invite');
  });

  it('names no command where no data file keeps the invite', () => {
    expect(startUpText({ ...facts, dataFile: undefined })).toContain('invite the-invite\n');
  });

  it.each([
    [{ tls: 'own' }, 'TLS by this relay'],
    [{ tls: 'none_loopback' }, 'reachable from this machine only'],
    [{ tls: 'none_allowed' }, 'allowInsecure is set'],
    [{ dataFile: undefined }, 'memory: everything is lost'],
    [{ opsUrl: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/readyz'],
    [{ registration: 'allowlist' }, 'allowedAgents'],
    [{ registration: 'open' }, 'open: anyone who reaches this relay'],
    [{ registration: 'open', isOpenBehindProxy: true }, 'set registration to invite'],
    [{}, 'no push provider: WebSocket only'],
    [{}, 'never what is said'],
  ] as const)('with %o says: %s', (change, expected) => {
    expect(startUpText({ ...facts, ...change } as StartUpFacts)).toContain(expected);
  });
});
