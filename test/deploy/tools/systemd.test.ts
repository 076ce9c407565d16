/** The unit as systemd's own tools judge it; nothing is started. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../../house/source-graph.js';
import { replaced } from './proxy.js';
import { runTool } from './run-tool.js';

/** From 0 (locked in) to 10; the tool calls everything below 3 fine. */
const MOST_EXPOSURE = 2;

let dir: string;
let unit: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cs-unit-'));
  unit = join(dir, 'countersign-relay.service');
  const text = readFileSync(join(root, 'deploy/systemd/countersign-relay.service'), 'utf8');
  // Wherever Node is on the machine that runs this test.
  writeFileSync(unit, replaced(text, { '/usr/bin/node ': `${process.execPath} ` }));
});
afterEach(() => rmSync(dir, { recursive: true }));

it('systemd has nothing to say against the unit', async () => {
  const { exitCode, output } = await runTool('systemd-analyze', ['verify', unit]);
  expect(output.split('\n').filter((line) => line.includes('countersign-relay'))).toEqual([]);
  expect(exitCode).toBe(0);
});

it('the unit is locked in well', async () => {
  const args = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE * 10}`, unit];
  const { exitCode, output } = await runTool('systemd-analyze', args);
  const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(output) ?? [];
  expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSURE);
  expect(exitCode).toBe(0);
});
