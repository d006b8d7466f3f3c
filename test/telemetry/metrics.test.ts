import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/base/config.js';
import { listenForMetrics } from '../../src/operation/service/metrics-listener.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, socketOf } from '../support/live.js';
import { needs } from '../support/tools.js';
import { refusal, world } from '../support/world.js';

async function measured(changes: Partial<Config> = {}) {
  const metrics = new Metrics();
  const service = await world({
    metrics,
    config: { ...configOf(), ...changes },
    database: await ownDatabase(),
  });
  metrics.read({
    build: { version: '1.2.3', node: 'v24', database: 'server' },
    connections: () => service.database.connections(),
    hearsOthers: () => true,
    passwordsWaiting: () => 0,
    probe: () => service.database.probe(),
    isFull: () => service.database.isFull(),
    liveOperations: () => service.live.operations(),
    jobs: async () => [{ kind: 'mail', waiting: 0, failed: 0, oldest: 0 }],
    lastBackup: undefined,
  });
  const samples = async () => samplesIn(await metrics.text());
  /** Once it is that: an answer is counted when all of it is sent. */
  const becomes = (sample: string, value: number) =>
    eventually(async () => (await samples()).get(sample) === value);
  return { ...service, metrics, samples, becomes };
}

const samplesIn = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );

const http = (method: string, route: string, status: number) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`;

const graphql = (type: string, field: string, code: string) =>
  `steady_graphql_duration_seconds_count{type="${type}",root_field="${field}",code="${code}"}`;

describe('Metrics count', () => {
  it('requests by method, route and status', async () => {
    const { newUser, rest, becomes } = await measured();
    const ana = await newUser();
    const task = await ana.hasTask();
    await ana.rest.get('/api/tasks/me');
    await ana.rest.put(`/api/tasks/${task.id}`, { title: 'Run' });
    await rest.get('/api/tasks/me');
    await becomes(http('GET', '/api/tasks/me', 200), 1);
    await becomes(http('PUT', '/api/tasks/:taskId', 200), 1);
    await becomes(http('GET', '/api/tasks/me', 401), 1);
  });

  it('GraphQL by type, root field and code, on HTTP and on a WebSocket, and the hits of the fast path', async () => {
    const { base, newUser, becomes } = await measured({ fastPath: 'always' });
    const ana = await newUser();
    await ana.query('query One { me { id } }');
    await ana.query('query Two { me { id } tasks { nodes { id } } }');
    await ana.rest.post('/graphql', { query: '{ nothing }' });
    const client = socketOf({ base, token: ana.token });
    for await (const _ of client.iterate({ query: 'query Three { me { id } }' })) break;
    await becomes(graphql('query', 'me', 'OK'), 2);
    await becomes(graphql('query', 'several', 'OK'), 1);
    await becomes(graphql('other', '', 'GRAPHQL_VALIDATION_FAILED'), 1);
    await becomes('steady_graphql_fast_path_total{outcome="hit"}', 2);
  });

  it('completions on both APIs, once each, however often a request is repeated', async () => {
    const { newUser, samples, clock } = await measured();
    const ana = await newUser();
    const task = await ana.hasTask();
    const before = (await samples()).get('steady_completions_total') ?? 0;
    await ana.completes(task, { 'idempotency-key': 'once' });
    await ana.completes(task, { 'idempotency-key': 'once' });
    await ana.query(`mutation { completeTask(taskId: ${task.id}) { completion { id } } }`);
    const at = new Date(clock.now().getTime() - 86_400_000).toISOString();
    const inputs = [
      `{ taskId: ${task.id}, idempotencyKey: "a" }`,
      `{ taskId: ${task.id}, idempotencyKey: "b", at: "${at}" }`,
    ];
    for (const _ of ['first', 'again'])
      await ana.query(`mutation { completeTasks(input: [${inputs}]) { results { __typename } } }`);
    expect((await samples()).get('steady_completions_total')).toBe(before + 4);
  });

  it('whether the service is ready', async () => {
    const { rest, database, samples } = await measured();
    expect((await samples()).get('steady_ready')).toBe(1);
    const { probe } = database;
    onTestFinished(() => void Object.assign(database, { probe })); // another test has it next
    database.probe = () => new Promise(() => {});
    expect((await samples()).get('steady_ready'), 'nobody waits for it').toBe(0);
    database.probe = () => Promise.reject(new Error('The database is away'));
    expect((await samples()).get('steady_ready')).toBe(0);
    for (const _ of ['once', 'twice']) expect((await rest.get('/health/ready')).status).toBe(503);
    expect([...(await samples()).keys()]).not.toContain('steady_requests_shed_total{reason="OTHER"}');
  });

  it('live operations, as they are', async () => {
    const { base, newUser, becomes } = await measured();
    const client = socketOf({ base, token: (await newUser()).token });
    const nothing = { next: () => {}, error: () => {}, complete: () => {} };
    const stop = client.subscribe({ query: PROGRESS }, nothing);
    const name = 'steady_live_operations{transport="websocket"}';
    await becomes(name, 1);
    stop();
    await becomes(name, 0);
  });
});

describe('A database without room for what is written', () => {
  /** PostgreSQL itself says so by this code, whatever has no room. */
  const FULL = [
    `create function find_no_room() returns trigger language plpgsql as $$
     begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`,
    'create trigger full_disk before insert on task_completions for each statement execute function find_no_room()',
  ];

  it('is ready, says so in its health and in a metric, and no more once it takes a write', async () => {
    const { database, newUser, rest, samples } = await measured();
    const ana = await newUser();
    const task = await ana.hasTask();
    const state = async () => {
      const { status, body } = await rest.get('/health/ready');
      return [status, body.writes, (await samples()).get('steady_database_full')];
    };
    expect(await state()).toEqual([200, undefined, 0]);
    for (const each of FULL) await sql.raw(each).execute(database.query());
    expect(await ana.completes(task)).toEqual(refusal(503, 'Service unavailable, nothing was changed'));
    expect((await ana.rest.get('/api/tasks/me')).status).toBe(200);
    expect(await state()).toEqual([200, 'no room', 1]);
    await sql`drop trigger full_disk on task_completions`.execute(database.query());
    expect((await ana.completes(task)).status).toBe(201);
    expect(await state()).toEqual([200, undefined, 0]);
  });

  it('says so no more once there is room, though nothing is written', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, newUser, rest, samples } = await measured();
    const ana = await newUser();
    const task = await ana.hasTask();
    for (const each of FULL) await sql.raw(each).execute(database.query());
    expect((await ana.completes(task)).status).toBe(503);
    const full = async () => (await samples()).get('steady_database_full');
    expect(await full()).toBe(1);
    vi.advanceTimersByTime(20_000);
    expect(await full()).toBe(0);
    expect((await ana.completes(task)).status).toBe(503);
    vi.advanceTimersByTime(20_000);
    expect((await rest.get('/health/ready')).body).not.toHaveProperty('writes');
  });
});

it('The number of series stays the same with hundreds of made-up paths, methods and operation names', async () => {
  const { rest, newUser, samples } = await measured();
  const ana = await newUser();
  const methods = ['GET', 'PROPFIND', 'REPORT', 'SEARCH', 'M-SEARCH', 'PURGE'];
  const askOddly = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, number) => {
        const word = `a${randomBytes(8).toString('hex')}`;
        if (number % 3 === 0) return ana.query(`query ${word} { me { id } }`);
        return rest.send(methods[number % methods.length] ?? '', `/api/${word}/${word}`);
      }),
    );
  await askOddly(60);
  const before = (await samples()).size;
  await askOddly(200);
  expect((await samples()).size).toBe(before);
});

it('promtool finds nothing to say about the metrics', needs('promtool'), async () => {
  const { newUser, metrics } = await measured();
  const ana = await newUser();
  await ana.query('{ me { id } }');
  const checked = execFileSync('promtool', ['check', 'metrics'], { input: await metrics.text() });
  expect(String(checked)).toBe('');
});

it('METRICS_PORT that is taken is told as such', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const listening = listenForMetrics({ host: '127.0.0.1', port, text: async () => undefined });
  expect(await listening.then(() => '', explainStartError)).toMatch(
    /^The port is taken \(.*EADDRINUSE.*\)\. Choose another with METRICS_PORT\./,
  );
});
