import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/base/clock.js';
import type { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/features/settings.js';
import { features } from '../../src/features.js';
import { MetricsOfWorkers } from '../../src/operation/service/metrics-of-workers.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { needs } from '../support/tools.js';

const RULES = 'examples/prometheus/alerts.yaml';
const TESTS = 'examples/prometheus/alerts.test.yaml';
const rules = readFileSync(RULES, 'utf8');
const dashboard = JSON.parse(readFileSync('examples/grafana/steady.json', 'utf8'));
const operations = readFileSync('docs/operate.md', 'utf8');

interface Case {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

/** What makes every feature count. */
const ALL = {
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'habits@example.com',
  PUBLIC_URL: 'https://habits.example.com',
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'steady',
};

/** By name, of one process and of the primary: their labels and types. */
async function known(): Promise<Map<string, string>> {
  const metrics = new Metrics();
  const place = { config: readConfig(ALL), clock: systemClock, database: {} as Database };
  for (const { metrics: declare } of features) declare?.(metrics, place);
  metrics.read({
    build: { version: '', node: '', database: '' },
    connections: () => ({ open: 0, idle: 0, waiting: 0 }),
    hearsOthers: () => true,
    passwordsWaiting: () => 0,
    probe: async () => {},
    isFull: () => false,
    liveOperations: () => ({}),
    jobs: async () => [],
    lastBackup: () => null,
  });
  const { name, type } = await new MetricsOfWorkers(() => []).restarts.get();
  const all = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map([
    [name, `${type}`],
    ...all.map(([, name = '', type = '']): [string, string] => [name, type]),
  ]);
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
    const all = await known();
    expect([...namesIn(text)].filter((name) => !all.has(name))).toEqual([]);
  });

  it('shows each metric on the dashboard, and describes it in the docs', async () => {
    const shown = namesIn(queries.join('\n'));
    const names = [...(await known()).keys()];
    const besides = ['process_start_time_seconds', 'nodejs_eventloop_delay_mean_seconds'];
    expect(names.filter((name) => !shown.has(name) && !besides.includes(name))).toEqual([]);
    const described = operations.replace(/nodejs_eventloop_delay_\{(.*?)\}_seconds/, (_, list: string) =>
      list
        .split(',')
        .map((each) => `nodejs_eventloop_delay_${each}_seconds`)
        .join(' '),
    );
    expect(names.filter((name) => !described.includes(name))).toEqual([]);
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
