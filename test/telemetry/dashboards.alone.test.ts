import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allMetrics } from '../support/metrics.js';
import { needs } from '../support/tools.js';

const RULES = 'examples/prometheus/alerts.yaml';
const TESTS = 'examples/prometheus/alerts.test.yaml';
const rules = readFileSync(RULES, 'utf8');
const dashboard = JSON.parse(readFileSync('examples/grafana/steady.json', 'utf8'));

interface Case {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

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

  it('has thirteen alerts, each with a cure, and a case in which it fires', () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts).toHaveLength(13);
    expect([...rules.matchAll(/description: >-\n\s+\S+/g)]).toHaveLength(alerts.length);
    const firing = parse(readFileSync(TESTS, 'utf8'), { maxAliasCount: -1 }).tests.flatMap((each: Case) =>
      each.alert_rule_test.filter((one) => one.exp_alerts.length > 0).map((one) => one.alertname),
    );
    expect(new Set(firing)).toEqual(new Set(alerts));
  });

  it('passes promtool', needs('promtool'), () => {
    const checked = execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect(checked).toContain('13 rules found');
    execFileSync('promtool', ['test', 'rules', TESTS]);
    execFileSync('promtool', ['check', 'config', 'examples/prometheus/prometheus.yaml']);
  });
});
