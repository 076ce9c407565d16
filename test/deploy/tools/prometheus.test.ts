/** Prometheus' own judgement of the rules, their trials, the scrape config, the board, and a live scrape. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRelay } from '@countersign/server';
import { expect, it } from 'vitest';
import { root } from '../../house/source-graph.js';
import { runTool } from './run-tool.js';

const folder = join(root, 'deploy/grafana');

it.each([
  ['check', 'rules', 'alerts.yaml'],
  ['check', 'config', 'prometheus.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
])('promtool %s %s %s', async (...args) => {
  const { exitCode, output } = await runTool('promtool', args, { cwd: folder });
  expect(output).toContain('SUCCESS');
  expect(exitCode).toBe(0);
});

it('every query of the board can be parsed', async () => {
  const { panels } = JSON.parse(readFileSync(join(folder, 'board.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  // Rules in the form of JSON, which is YAML: what Grafana puts in for its variables is put in here.
  const rules = queries.map((query, at) => ({
    record: `query_${at}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }));
  const dir = mkdtempSync(join(tmpdir(), 'cs-board-'));
  const file = join(dir, 'board.yaml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'board', rules }] }));
  const { exitCode, output } = await runTool('promtool', ['check', 'rules', file]);
  rmSync(dir, { recursive: true });
  expect(output).toContain(`SUCCESS: ${queries.length} rules found`);
  expect(exitCode).toBe(0);
});

it('a live scrape is as Prometheus wants it', async () => {
  const relay = await startRelay({ port: 0, store: 'memory' });
  try {
    const input = await (await fetch(`${relay.opsUrl}/metrics`)).text();
    expect(await runTool('promtool', ['check', 'metrics'], { input })).toEqual({ exitCode: 0, output: '' });
  } finally {
    await relay.close();
  }
});
