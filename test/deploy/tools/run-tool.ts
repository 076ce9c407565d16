/** Runs a program that `.ci/packages` lists. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTool } from '../../../deploy/dev/tools.mjs';

const run = promisify(execFile);

/** @throws Error that says how to install it. */
export function toolPath(command: string): string {
  const path = findTool(command);
  if (path === undefined) throw new Error(`${command} is not here; .ci/install-packages installs it`);
  return path;
}

export interface ToolResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Both streams together, `input` on the third. Rejects only when it cannot be started. */
export async function runTool(
  command: string,
  args: readonly string[],
  { cwd, input, env = {} }: { cwd?: string; input?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<ToolResult> {
  const running = run(toolPath(command), [...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  running.child.stdin?.end(input ?? '');
  try {
    const { stdout, stderr } = await running;
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, output: stdout + stderr };
  }
}
