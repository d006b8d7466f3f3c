import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allMetrics } from '../support/metrics.js';
import { needs } from '../support/tools.js';

const RULES = 'examples/prometheus/alerts.yaml';
const TESTS = 'examples/prometheus/alerts.test.yaml';
const rules = readFileSync(RULES, 'utf8');
const dashboard = JSON.parse(readFileSync('examples/grafana/steady.json', 'utf8'));

const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b(?:steady|http_server|db_client|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_(bucket|count|sum)$/, (suffix) => (name.startsWith('db_client') ? suffix : '')),
    ),
  );

const queries: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);

describe('What operators are given to watch', () => {
  it.each([
    ['the dashboard', queries.join('\n')],
    ['the rules', rules.replace(/^\s*(alert|summary|description):.*$/gm, '')],
  ])('names in %s only metrics that there are', async (_what, text) => {
    const all = new Set((await allMetrics()).map(({ name }) => name));
    expect([...namesIn(text)].filter((name) => !all.has(name))).toEqual([]);
  });

  it('passes promtool', needs('promtool'), () => {
    const checked = execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect(checked).toContain('13 rules found');
    execFileSync('promtool', ['test', 'rules', TESTS]);
    execFileSync('promtool', ['check', 'config', 'examples/prometheus/prometheus.yaml']);
  });
});
