/** The board and the alert rules against the metrics there are, and each alert against its page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../server/src/observability/index.js';
import { root } from '../house/source-graph.js';

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');
const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
const rules = read('grafana/alerts.yaml');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const board = JSON.parse(read('grafana/board.json')) as { readonly panels: readonly Panel[] };

/** Every series a text names, parts of histograms by the histogram's name. */
function seriesIn(text: string): string[] {
  const names = text.match(/\b(?:countersign|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}

const own = new Set<string>(Object.values(METRICS).map(({ name }) => name));
const isKnown = (name: string): boolean =>
  own.has(name) ||
  (!name.startsWith('countersign_') &&
    (page.includes(`\`${name}\``) || /^nodejs_eventloop_lag_(p50|p99|max)_seconds$/.test(name)));

/** Label values that an expression selects, such as `reason="too_slow"`. */
function valuesIn(text: string): string[] {
  const found = text.matchAll(/(?:class|fate|by|reason|outcome|role)!?="([a-z_]+)"/g);
  return [...new Set([...found].map(([, value = '']) => value))];
}

describe('the board', () => {
  const queries = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');

  it('asks for nothing that does not exist', () => {
    expect(seriesIn(queries).length).toBeGreaterThan(25);
    expect(seriesIn(queries).filter((name) => !isKnown(name))).toEqual([]);
    expect(valuesIn(queries).filter((value) => !page.includes(`\`${value}\``))).toEqual([]);
  });

  it('shows every metric of the relay', () => {
    const shown = new Set(seriesIn(queries));
    expect([...own].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('says at each panel what it means', () => {
    const panels = board.panels.filter(({ type }) => type !== 'row');
    expect(panels.filter(({ description = '' }) => description.length < 8).map(({ title }) => title)).toEqual(
      [],
    );
  });
});

describe('the alert rules', () => {
  const alerts = [...rules.matchAll(/^ +- alert: (\S+)$/gm)].map(([, name = '']) => name);

  it('ask for nothing that does not exist', () => {
    expect(seriesIn(rules).filter((name) => !isKnown(name))).toEqual([]);
    expect(valuesIn(rules).filter((value) => !page.includes(`\`${value}\``))).toEqual([]);
  });

  it('each have a page with what it means, how to look and what to do, and no page is left over', () => {
    const pages = readdirSync(join(root, 'deploy/runbooks')).filter((file) => file.startsWith('Countersign'));
    expect(alerts.length).toBeGreaterThan(10);
    expect(pages.sort()).toEqual(alerts.map((name) => `${name}.md`).sort());
    for (const name of alerts) {
      expect(rules).toContain(`runbook: deploy/runbooks/${name}.md`);
      const text = read(`runbooks/${name}.md`);
      for (const heading of [`# ${name}`, '## What it means', '## Look', '## Do'])
        expect(text).toContain(`${heading}\n`);
    }
  });

  it('are each tried: once where they must stay silent, once where they must fire', () => {
    const trials = read('grafana/alerts.test.yaml');
    for (const name of alerts) {
      expect(trials).toContain(`- { alertname: ${name}, eval_time: 2h }`);
      expect(trials).toContain(`runbook: deploy/runbooks/${name}.md`);
    }
  });
});
