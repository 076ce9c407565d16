/** The shim of the command, on a Node that is too old. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SHIM = new URL('../../server/bin/countersign-relay.mjs', import.meta.url).href;

it.each(['18.20.0', '20.18.3'])('Node %s gets one clear line, and nothing is imported', async (version) => {
  const script = `
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
    await import('${SHIM}');
  `;
  const { code, stderr } = await new Promise<{ code: number | undefined; stderr: string }>((done) => {
    const args = ['--input-type=module', '--eval', script];
    const child = execFile(
      process.execPath,
      args,
      { cwd: fileURLToPath(new URL('.', SHIM)) },
      (_, __, text) => done({ code: child.exitCode ?? undefined, stderr: text }),
    );
  });
  expect(stderr).toBe(`countersign-relay needs Node 20.19 or newer; this is ${version}.\n`);
  expect(code).toBe(1);
});
