import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from './io.js';
import {
  inForce,
  readCa,
  readSettings,
  relayUrlOf,
  stateDirectory,
  wantedSettings,
  writeSettings,
} from './settings.js';

const io = (env: Record<string, string> = {}): Io => ({ env, cwd: '/here' }) as unknown as Io;

describe('the directory', () => {
  it.each([
    ['the option', 'sub', { COUNTERSIGN_DIR: '/env' }, '/here/sub'],
    ['COUNTERSIGN_DIR', undefined, { COUNTERSIGN_DIR: '/env', XDG_STATE_HOME: '/xdg' }, '/env'],
    ['XDG_STATE_HOME', undefined, { XDG_STATE_HOME: '/xdg' }, '/xdg/countersign'],
    ['the home directory', undefined, {}, join(homedir(), '.local/state/countersign')],
    [
      'the home directory, not a relative XDG_STATE_HOME',
      undefined,
      { XDG_STATE_HOME: 'x' },
      join(homedir(), '.local/state/countersign'),
    ],
  ])('is taken from %s', (_, option, env, dir) => {
    expect(stateDirectory(option, io(env as Record<string, string>))).toBe(dir);
  });
});

describe('the address of a relay', () => {
  it.each([
    ['wss://relay.example', 'wss://relay.example'],
    ['wss://Relay.Example:443/', 'wss://relay.example'],
    ['https://relay.example', 'wss://relay.example'],
    ['http://127.0.0.1:8787', 'ws://127.0.0.1:8787'],
    ['ws://[::1]:8787', 'ws://[::1]:8787'],
  ])('%s is %s', (written, url) => {
    expect(relayUrlOf(written)).toBe(url);
  });

  it.each([
    'relay.example',
    '',
    'ftp://x',
    'wss://',
    'wss://x/path',
    'wss://u:p@x',
    'wss://x?a',
    'wss://x#a',
    'javascript:0',
  ])('%j is wrong usage', (written) => {
    expect(() => relayUrlOf(written)).toThrow('wss://host');
  });
});

describe('what is asked for', () => {
  it('by option goes before the environment', () => {
    const env = { COUNTERSIGN_RELAY_URL: 'wss://env', COUNTERSIGN_INVITE: ' code\n' };
    expect(wantedSettings({ relay: 'wss://option', ca: 'ca.pem' }, io(env))).toEqual({
      relayUrl: 'wss://option',
      invite: 'code',
      ca: '/here/ca.pem',
    });
    expect(wantedSettings({}, io(env)).relayUrl).toBe('wss://env');
    expect(wantedSettings({}, io())).toEqual({});
  });

  it('goes before what is saved, which goes before the default', () => {
    expect(inForce({}).relayUrl).toBe('ws://127.0.0.1:8787');
    expect(inForce({ relayUrl: 'wss://saved', name: 'a' }, { relayUrl: 'wss://wanted' })).toEqual({
      relayUrl: 'wss://wanted',
      name: 'a',
    });
  });
});

describe('the saved settings', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cs-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('are nothing at first', () => {
    expect(readSettings(dir)).toEqual({});
  });

  it('are read as they were written, by their owner only', () => {
    writeSettings(dir, { relayUrl: 'wss://x', invite: 'secret' });
    expect(readSettings(dir)).toEqual({ relayUrl: 'wss://x', invite: 'secret' });
    expect(statSync(join(dir, 'config.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir, 'config.json'), 'utf8')).toContain('"v": 1');
  });

  it.each(['', '{', '[]', '{"v":2}', '{"v":1,"relayUrl":7}'])(
    'that are damaged (%j) are said to be',
    (text) => {
      writeFileSync(join(dir, 'config.json'), text);
      expect(() => readSettings(dir)).toThrow('is damaged');
    },
  );
});

describe('certificate authorities', () => {
  it('are read from a file that holds some, and from no other', () => {
    const dir = mkdtempSync(join(tmpdir(), 'cs-test-'));
    const file = join(dir, 'ca.pem');
    expect(() => readCa(file)).toThrow('cannot be read');
    writeFileSync(file, 'nothing of the kind');
    expect(() => readCa(file)).toThrow('holds no certificate');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    expect(readCa(file)).toContain('CERTIFICATE');
    rmSync(dir, { recursive: true });
  });
});
