/** The list of programs that tests need, and how `npm test` deals with one that is not here. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findTool, listedTools, missingText, planTools, toolVariable } from '../../deploy/dev/tools.mjs';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cs-tools-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

function program(name: string, mode = 0o755): string {
  const path = join(dir, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

describe('a program', () => {
  it('is found on the path, or by its variable, which wins', () => {
    vi.stubEnv('PATH', dir);
    const path = program('promtool');
    expect(findTool('promtool')).toBe(path);
    const other = program('other');
    vi.stubEnv('COUNTERSIGN_PROMTOOL', other);
    expect(findTool('promtool')).toBe(other);
  });

  it('is missing when its variable names none, or it cannot be run', () => {
    vi.stubEnv('PATH', dir);
    program('promtool');
    vi.stubEnv('COUNTERSIGN_PROMTOOL', join(dir, 'nothing'));
    expect(findTool('promtool')).toBeUndefined();
    vi.stubEnv('COUNTERSIGN_SYSTEMD_ANALYZE', program('plain', 0o644));
    expect(findTool('systemd-analyze')).toBeUndefined();
  });
});

describe('npm test', () => {
  const NOWHERE = { PATH: '/nonexistent' };
  function withoutPrograms() {
    vi.stubEnv('PATH', NOWHERE.PATH);
    for (const { command } of listedTools()) vi.stubEnv(toolVariable(command), '/nonexistent/program');
  }

  it('names what is missing, the line that installs it, and the flag that does without', () => {
    withoutPrograms();
    const { missing } = planTools([]);
    const text = missingText(missing);
    expect(missing.map(({ command }) => command)).toContain('nginx');
    expect(text).toContain('promtool is not here, and test/deploy/tools needs it.');
    expect(text).toMatch(/sudo apt-get install -y --no-install-recommends .*nginx.*prometheus/);
    expect(text).toContain('npm test -- --no-tools');
  });

  it('leaves their tests out on the flag, and asks for nothing of them', () => {
    withoutPrograms();
    const plan = planTools(['--no-tools', 'test/deploy']);
    expect(plan.args).toEqual(['test/deploy']);
    expect(plan.left).toEqual(['test/deploy/tools']);
    expect(plan.missing).toEqual([]);
  });

  it('asks only for what the paths it is given need', () => {
    withoutPrograms();
    expect(planTools(['test/house']).missing).toEqual([]);
    expect(planTools(['test/deploy/tools/grafana.test.ts']).missing).not.toEqual([]);
  });
});

it('every line of the list has a command, a package, a flag and a folder', () => {
  for (const { command, aptPackage, flag, tests } of listedTools()) {
    expect([command, aptPackage].every((word) => /^[a-z-]+$/.test(word))).toBe(true);
    expect(flag).toMatch(/^--no-[a-z]+$/);
    expect(tests).toMatch(/^test\//);
  }
});
