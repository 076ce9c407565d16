import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAgent, serveAgentSocket } from '@countersign/agent-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerOf, Scene } from './scene.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const AGENT_SDK = join(ROOT, 'agent-sdk');

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.close());

describe('the daemon', () => {
  it('is one, however many commands start it at once, and ends on --stop', async () => {
    const dir = scene.directory();
    const ended = await Promise.all([1, 2, 3].map(() => scene.run(['status', '--json'], dir)));
    const owners = ended.map(({ stdout }) => (JSON.parse(stdout) as { owner: { pid: number } }).owner.pid);
    expect(new Set(owners)).toEqual(new Set([await ownerOf(dir)]));
    expect((await scene.run(['daemon', '--stop'], dir)).stderr).toBe('The daemon has ended.\n');
    expect(readdirSync(dir)).not.toContain('agent.sock');
    expect((await scene.run(['daemon', '--stop'], dir)).stderr).toBe('No daemon runs.\n');
  });

  it('ends by itself without use and leaves the directory free', async () => {
    const dir = scene.directory();
    const daemon = scene.start(['daemon', '--idle', '1s'], dir);
    await daemon.says(/Ends after 1 second without use/);
    await expect(openAgent({ dir, relayUrl: scene.relay.url })).rejects.toMatchObject({
      code: 'directory_in_use',
      details: { pid: daemon.child.pid, program: 'countersign.mjs', since: expect.any(String) },
    });
    expect((await daemon.ended).exitCode).toBe(0);
    await (await openAgent({ dir, relayUrl: scene.relay.url })).close();
  });

  it('says on start what keeps it from opening the state', async () => {
    const dir = scene.directory();
    mkdirSync(join(dir, 'seed'));
    const { exitCode, stderr } = await scene.run(['devices'], dir);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('is not a plain file')]);
  });
});

describe('a program that owns the directory', () => {
  it('is named when it serves nobody', async () => {
    const dir = scene.directory();
    const agent = await openAgent({ dir, relayUrl: scene.relay.url });
    const { exitCode, stderr } = await scene.run(['devices'], dir);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`process ${process.pid}`)]);
    await agent.close();
  });

  it('serves other commands in place of a daemon', async () => {
    const dir = scene.directory();
    const agent = await openAgent({ dir, relayUrl: scene.relay.url });
    const socket = await serveAgentSocket(agent, dir, { program: 'my agent', relayUrl: scene.relay.url });
    expect((await scene.run(['status'], dir)).stdout).toContain('served by my agent');
    await socket.closeWithAgent();
  });
});

describe('programs of other packages', () => {
  it.each(['relay', 'phone'])(
    '%s is started with its arguments, and its exit code passed on',
    async (name) => {
      const dir = scene.directory();
      const help = await scene.run([name, '--help'], dir);
      expect([help.exitCode, help.stdout]).toEqual([
        0,
        expect.stringContaining(`Usage: countersign-${name}`),
      ]);
      expect((await scene.run([name, '--no-such-option'], dir)).exitCode).toBe(2);
    },
  );

  it('a signal reaches a relay started so, which ends in order', async () => {
    const dir = scene.directory();
    const env = {
      COUNTERSIGN_RELAY_PORT: '0',
      COUNTERSIGN_RELAY_OPS_PORT: 'off',
      COUNTERSIGN_RELAY_STORE: 'memory',
    };
    const relay = scene.start(['relay'], dir, { env });
    await relay.says(/listens on/);
    expect((await relay.kill('SIGTERM')).exitCode).toBe(0);
  });

  it('that are not installed are named with the command that installs them', async () => {
    const home = scene.directory();
    const bin = installAlone(home);
    for (const [name, packageName] of [
      ['relay', '@countersign/server'],
      ['phone', '@countersign/client-sdk'],
    ] as const) {
      const { exitCode, stderr } = await scene.run([name, 'x'], home, { bin });
      expect([exitCode, stderr.trim().split('\n')]).toEqual([
        2,
        [expect.stringContaining(`npm install ${packageName}`)],
      ]);
    }
  });
});

describe('an old Node', () => {
  it.each(['18.20.4', '20.18.1'])('(%s) gets one clear line', async (version) => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'${version}'}})`;
    const { exitCode, stderr, stdout } = await scene.run(['--help'], scene.directory(), {
      node: ['--import', pretend],
    });
    expect([exitCode, stdout]).toEqual([5, '']);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/needs Node 20\.19 or newer; this is \d/),
    ]);
  });
});

/** The agent SDK with what it depends on and nothing else. */
function installAlone(home: string): string {
  const modules = join(home, 'node_modules');
  const own = join(modules, '@countersign', 'agent-sdk');
  mkdirSync(own, { recursive: true });
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(AGENT_SDK, part), join(own, part), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@countersign') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(ROOT, 'protocol'), join(modules, '@countersign', 'protocol'));
  return join(own, 'bin', 'countersign.mjs');
}
