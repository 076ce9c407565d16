/** countersign-phone: a full device in the terminal. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { phone, startPhone } from './phone.js';
import type { ScriptedAgent } from './scripted-agent.js';
import { until } from './waiting.js';
import { atEnd, World } from './world.js';

async function stateDirectory(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'countersign-phone-'));
  atEnd(() => rm(root, { recursive: true, force: true }));
  return join(root, 'state');
}

async function paired(options = {}): Promise<{ agent: ScriptedAgent; dir: string }> {
  const world = await World.start();
  const agent = await world.agent(options);
  const dir = await stateDirectory();
  const { code, json, err } = await phone(['--dir', dir, '--json', 'pair', await agent.pairingLink()]);
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(json[0]).toMatchObject({ v: 1, event: 'paired', pairing: { agent: 'demo agent' } });
  await until(() => agent.devices.length === 1);
  return { agent, dir };
}

const view = {
  v: 1,
  summary: 'ignored',
  blocks: [
    { type: 'key_value', key: 'File', value: 'notes\u202e.txt', value_type: 'path' },
    { type: 'field', label: 'Token', value: 'tok-123456789', value_type: 'secret' },
    { type: 'block', label: 'Diff', value: '- old\n+ new tok-123456789', value_type: 'diff' },
  ],
};

describe('countersign-phone', () => {
  it('pairs, lists an item with its blocks, approves it, and says that the agent confirmed', async () => {
    const { agent, dir } = await paired();
    const entry = await agent.ask('approval', { blocks: view, arguments: { token: 'tok-123456789' } });
    const id = String(entry.request_id);
    const list = await phone(['--dir', dir, 'list', '--raw']);
    expect(list.code).toBe(0);
    expect(list.out).toContain('Write notes.txt');
    expect(list.out).toContain('File: notes⟨U+202E⟩.txt');
    expect(list.out).toContain('    + new ••••••••');
    expect(list.out).not.toContain('tok-123456789');
    expect(list.out).not.toContain('ignored');

    const approved = await phone(['--dir', dir, '--json', 'approve', id]);
    expect(approved).toMatchObject({ code: 0, err: '' });
    expect(approved.json).toEqual([
      { v: 1, request_id: id, answer: { phase: 'confirmed', status: 'applied', outcome: 'approved' } },
    ]);
    expect((await agent.answer(id)).payload.decision).toBe('approved');
  });

  it('rejects with a reason, and names what a refusal came from by its exit code', async () => {
    const { agent, dir } = await paired();
    const entry = await agent.ask('approval', {});
    agent.onAnswer = () => ({ status: 'already_decided', outcome: 'approved', by: 'desk' });
    const rejected = await phone(['--dir', dir, 'reject', String(entry.request_id), '--reason', 'no']);
    expect(rejected).toMatchObject({ code: 1 });
    expect(rejected.out).toContain('Already decided: approved by desk');
    expect((await agent.answer(String(entry.request_id))).payload.reason).toBe('no');
  });

  it('keeps an answer that nobody confirms, and says so', async () => {
    const { agent, dir } = await paired();
    const entry = await agent.ask('approval', {});
    agent.onAnswer = () => undefined;
    const sent = await phone(['--dir', dir, 'approve', String(entry.request_id), '--timeout', '0.2']);
    expect(sent).toMatchObject({ code: 3 });
    expect(sent.out).toContain('Not confirmed yet');
  });

  it('answers a secret question from standard input only, and leaves no trace of it', async () => {
    const { agent, dir } = await paired();
    const entry = await agent.ask('elicitation', { sensitive: true });
    const id = String(entry.request_id);
    const onCommandLine = await phone(['--dir', dir, 'answer', id, 's3cr3t']);
    expect(onCommandLine).toMatchObject({ code: 2 });
    const answered = await phone(['--dir', dir, 'answer', id, '--stdin'], 's3cr3t\n');
    expect(answered).toMatchObject({ code: 0 });
    expect((await agent.answer(id)).payload.content).toEqual({ token: 's3cr3t' });
    expect(await readFile(join(dir, 'state.json'), 'utf8')).not.toContain('s3cr3t');
  });

  it('watches as a script: answers what comes, tells each step, ends after the count', async () => {
    const { agent, dir } = await paired();
    const watching = startPhone([
      '--dir',
      dir,
      '--json',
      'watch',
      '--auto',
      'reject',
      '--reason',
      'policy',
      '--count',
      '2',
    ]);
    await watching.line(
      ({ event, pairing }) =>
        event === 'status' && (pairing as { agent_online?: boolean }).agent_online === true,
    );
    const first = await agent.ask('approval', {});
    await watching.line(({ event, request_id }) => event === 'ended' && request_id === first.request_id);
    const second = await agent.ask('approval', {});
    const { code, json } = await watching.finished;
    expect(code).toBe(0);
    expect(json).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          v: 1,
          event: 'item',
          item: expect.objectContaining({ request_id: second.request_id }),
        }),
        expect.objectContaining({
          event: 'decided',
          request_id: second.request_id,
          answer: { phase: 'confirmed', status: 'applied', outcome: 'rejected' },
        }),
      ]),
    );
    expect((await agent.answer(String(second.request_id))).payload.reason).toBe('policy');
  });

  it('shows alerts while it watches, and ends with 130 when interrupted', async () => {
    const { agent, dir } = await paired();
    const watching = startPhone(['--dir', dir, 'watch']);
    await watching.text('connected');
    await agent.queue(agent.devices[0] as string, agent.notification({ body: 'Tea is ready' }));
    await watching.text('* demo agent: Tea is ready');
    watching.child.kill('SIGINT');
    expect(await watching.finished).toMatchObject({ code: 130 });
  });

  it('tells who uses the directory, and takes it over from a killed process', async () => {
    const { agent, dir } = await paired();
    const watching = startPhone(['--dir', dir, 'watch']);
    await watching.text('connected');
    const second = await phone(['--dir', dir, '--json', 'list']);
    expect(second).toMatchObject({ code: 5, json: [{ v: 1, error: { code: 'directory_in_use' } }] });
    expect(JSON.stringify(second.json)).toContain(String(watching.child.pid));
    watching.child.kill('SIGKILL');
    await watching.finished;
    const entry = await agent.ask('approval', {});
    const list = await phone(['--dir', dir, 'list', '--brief']);
    expect(list).toMatchObject({ code: 0 });
    expect(list.out).toContain(String(entry.request_id));
  });

  it('lists its pairings, and leaves one', async () => {
    const { agent, dir } = await paired();
    const listed = await phone(['--dir', dir, '--json', 'pairings']);
    expect(listed.json).toMatchObject([{ v: 1, pairings: [{ id: agent.namespaceHex }] }]);
    const unpaired = await phone(['--dir', dir, 'unpair', agent.namespaceHex.slice(0, 8)]);
    expect(unpaired).toMatchObject({ code: 0, out: 'Removed the pairing with demo agent.' });
    await agent.payload('logout');
    expect(await phone(['--dir', dir, 'unpair', agent.namespaceHex])).toMatchObject({ code: 4 });
    expect((await phone(['--dir', dir, 'list'])).out).toContain('not paired');
  });

  it('takes its directory from the environment', async () => {
    const dir = await stateDirectory();
    const run = await phone(['pairings'], '', { COUNTERSIGN_PHONE_DIR: dir });
    expect(run).toMatchObject({ code: 0 });
    expect(await readFile(join(dir, 'lock'), 'utf8')).toContain('pid');
  });

  it('explains wrong usage with exit code 2', async () => {
    const dir = await stateDirectory();
    for (const args of [['nonsense'], ['approve'], ['watch', '--count', 'x'], ['pair', 'not-a-link!']]) {
      const { code, err } = await phone(['--dir', dir, ...args]);
      expect([args, code]).toEqual([args, 2]);
      expect(err).not.toBe('');
    }
    const help = await phone(['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toContain('Exit codes:');
  });
});
