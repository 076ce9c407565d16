/** Deciding by keys in `countersign-phone watch`, at a terminal played by the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../../client-sdk/src/cli/run.js';
import { phone } from './phone.js';
import type { ScriptedAgent } from './scripted-agent.js';
import { until } from './waiting.js';
import { atEnd, World } from './world.js';

interface Terminal {
  agent: ScriptedAgent;
  press(keys: string): void;
  /** Waits until this is on the screen, after what was waited for before. */
  shows(part: string): Promise<void>;
  screen(): string;
  isRaw(): boolean;
  ended: Promise<number>;
}

async function watching(): Promise<Terminal> {
  const world = await World.start();
  const agent = await world.agent();
  const root = await mkdtemp(join(tmpdir(), 'countersign-keys-'));
  atEnd(() => rm(root, { recursive: true, force: true }));
  const dir = join(root, 'state');
  await phone(['--dir', dir, 'pair', await agent.pairingLink()]);
  let raw = false;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => {
      raw = on;
    },
  });
  let screen = '';
  const print = (line: string) => {
    screen += `${line}\n`;
  };
  const interrupted = new AbortController();
  const ended = run(['--dir', dir, 'watch'], {
    out: print,
    err: print,
    env: {},
    stdin,
    interrupted: interrupted.signal,
  });
  atEnd(async () => {
    interrupted.abort();
    await ended;
  });
  let read = 0;
  return {
    agent,
    press: (keys) => void stdin.write(keys),
    shows: async (part) => {
      const at = () => screen.indexOf(part, read);
      await until(() => at() >= 0);
      read = at() + part.length;
    },
    screen: () => screen,
    isRaw: () => raw,
    ended,
  };
}

describe('the keys of watch', () => {
  it('approve an item, leave the next, and quit with the terminal as it was', async () => {
    const { agent, press, shows, ended, isRaw } = await watching();
    await shows('connected');
    expect(isRaw()).toBe(true);
    const entry = await agent.ask('approval', {});
    await shows(`${entry.request_id}: [a]pprove`);
    press('a');
    await shows('Confirmed by the agent: approved.');
    const next = await agent.ask('approval', {});
    await shows(`${next.request_id}: [a]pprove`);
    press('q');
    expect(await ended).toBe(0);
    expect(isRaw()).toBe(false);
    expect(agent.answers(String(next.request_id))).toEqual([]);
  });

  it('reject with a typed reason, mended by backspace, or go back without one', async () => {
    const { agent, press, shows } = await watching();
    const entry = await agent.ask('approval', {});
    await shows('[r]eject');
    press('r');
    await shows('Reason');
    press('\u0004');
    await shows('[r]eject');
    press('r');
    await shows('Reason');
    press('toö\u007fo late\r');
    await shows('Confirmed by the agent: rejected.');
    expect((await agent.answer(String(entry.request_id))).payload.reason).toBe('too late');
  });

  it('answer a secret question without showing what is typed', async () => {
    const { agent, press, shows, screen } = await watching();
    const entry = await agent.ask('elicitation', { sensitive: true });
    await shows('[t]ype an answer');
    press('t');
    await shows('not shown');
    press('hunter2\r');
    await shows('Confirmed by the agent');
    expect((await agent.answer(String(entry.request_id))).payload.content).toEqual({ token: 'hunter2' });
    expect(screen()).not.toContain('hunter2');
  });

  it('decline, go to the next item, and show details', async () => {
    const { agent, press, shows } = await watching();
    const question = await agent.ask('elicitation', {});
    await shows('[x] decline');
    const entry = await agent.ask('approval', {});
    await shows(String(entry.request_id));
    press('n');
    await shows(`${entry.request_id}: [a]pprove`);
    press('d');
    await shows('Arguments:');
    press('n');
    await shows(`${question.request_id}: [t]ype`);
    press('x');
    expect((await agent.answer(String(question.request_id))).payload.action).toBe('decline');
  });

  it('say again which item they are about when another one is printed below it', async () => {
    const { agent, press, shows } = await watching();
    const first = await agent.ask('approval', { summary: 'Send the mail' });
    await shows(`${first.request_id}: [a]pprove`);
    const second = await agent.ask('approval', { summary: 'Delete the files' });
    await shows('Delete the files');
    await shows('1 more; the keys are about: Send the mail');
    await shows(`${first.request_id}: [a]pprove`);
    press('a');
    await shows('Confirmed by the agent: approved.');
    await shows(`${second.request_id}: [a]pprove`);
  });

  it('say what could not be done', async () => {
    const { agent, press, shows } = await watching();
    await agent.ask('approval', { digest: 'ab'.repeat(32) });
    await shows('arrived altered');
    await shows('[a]pprove');
    press('a');
    await shows('cannot be approved here');
  });

  it('show an item that its agent changed before they decide on it', async () => {
    const { agent, press, shows } = await watching();
    const entry = await agent.ask('approval', { summary: 'List the files' });
    await shows(`${entry.request_id}: [a]pprove`);
    const { request_id, created_at, expires_at } = entry;
    const changed = { request_id, created_at, expires_at, summary: 'Delete the files' };
    agent.items = [{ kind: 'approval', entry: await agent.entry('approval', changed) }];
    await agent.broadcast();
    await shows('Delete the files');
    await shows(`${entry.request_id}: [a]pprove`);
    press('a');
    await shows('Confirmed by the agent: approved.');
  });

  it('bring no control character of an agent to the terminal', async () => {
    const { agent, press, shows, screen } = await watching();
    const hostile = '\u001b]0;owned\u0007\u009b2J\u202e\r';
    agent.onAnswer = () => ({ status: 'already_decided', outcome: hostile, by: hostile });
    await agent.ask('approval', { request_id: `appr_${hostile}x`, tool_name: hostile, summary: hostile });
    await shows('[a]pprove');
    press('d');
    await shows('Arguments:');
    press('a');
    await shows('Refused: Already decided');
    expect(screen().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('interrupt with Ctrl-C', async () => {
    const { press, shows, ended } = await watching();
    await shows('connected');
    press('\u0003');
    expect(await ended).toBe(130);
  });
});
