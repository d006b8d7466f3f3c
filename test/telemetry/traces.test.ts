import { context, propagation, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { FastPath } from '../../src/config/fixed.js';
import type { Config } from '../../src/config.js';
import { StreakSchedule } from '../../src/streaks/streak.schedule.js';
import { createLog } from '../../src/telemetry/log.js';
import { beginTracing } from '../../src/telemetry/spans.js';
import { configOf, freshDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { firstOf, socketOf } from '../support/live.js';
import { world } from '../support/world.js';

interface Span {
  name: string;
  attributes: Record<string, unknown>;
  status: { code: number };
  parentSpanContext?: { spanId: string; isRemote?: boolean };
  spanContext(): { traceId: string; spanId: string };
}

/** A service whose spans are kept here. */
async function traced(changes: Partial<Config> = {}) {
  const spans: Span[] = [];
  const keep = {
    onStart: () => {},
    onEnd: (span: unknown) => void spans.push(span as Span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const sdk = new NodeSDK({ spanProcessors: [keep], instrumentations: [] });
  sdk.start();
  const end = beginTracing();
  onTestFinished(async () => {
    end();
    await sdk.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  });
  const lines: string[] = [];
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) });
  const database = await freshDatabase();
  const service = await world({ config: { ...configOf(), ...changes }, database, log });
  /** The spans of that request, each with the names above it, once the request is over. */
  const treeOf = async (id: string) => {
    const isRoot = ({ attributes }: Span) => attributes['steady.request.id'] === id;
    await eventually(() => spans.some(isRoot));
    const root = spans.find(isRoot) as Span;
    const own = spans.filter((each) => each.spanContext().traceId === root.spanContext().traceId);
    const byId = new Map(own.map((each) => [each.spanContext().spanId, each]));
    const pathOf = (span: Span): string => {
      const parent = byId.get(span.parentSpanContext?.spanId ?? '');
      return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
    };
    return { root, paths: own.map(pathOf).sort() };
  };
  return { ...service, log, lines, spans, treeOf };
}

describe('A trace', () => {
  it('of a REST request has its statements', async () => {
    const { newUser, treeOf, lines } = await traced();
    const ana = await newUser();
    const task = await ana.hasTask();
    await ana.completes(task, { 'x-request-id': 'done' });
    const { root, paths } = await treeOf('done');
    expect(paths[0]).toBe('POST /api/task-completions');
    expect(paths.some((path) => /^POST \/api\/task-completions > (INSERT|UPDATE) \w+$/.test(path))).toBe(
      true,
    );
    expect(root.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/task-completions',
      'http.response.status_code': 201,
      'user.id': ana.id,
    });
    const line = await eventually(() => lines.find((each) => each.includes('"done"')));
    expect(JSON.parse(line ?? '').trace).toBe(root.spanContext().traceId);
  });

  it.each<[string, FastPath, string]>([
    ['on the fast path', 'always', 'POST /graphql > query > SELECT tasks'],
    ['by Apollo', 'off', 'POST /graphql > SELECT tasks'],
  ])('of GraphQL %s nests operation, root fields and statements', async (_how, fastPath, list) => {
    const { newUser, treeOf } = await traced({ fastPath });
    const ana = await newUser();
    const query = 'query Screen { me { id } tasks { nodes { id } } }';
    await ana.rest.post('/graphql', { query }, { 'x-request-id': 'screen' });
    const { paths } = await treeOf('screen');
    expect(paths).toEqual(
      expect.arrayContaining([
        'POST /graphql',
        'POST /graphql > query',
        'POST /graphql > query > me',
        'POST /graphql > query > tasks',
        'POST /graphql > query > me > SELECT users',
        list, // read for the fields below `tasks`
      ]),
    );
  });

  it('of an operation on a WebSocket is one of its own', async () => {
    const { base, newUser, spans } = await traced();
    const ana = await newUser();
    await firstOf(socketOf({ base, token: ana.token }), 'query Over { me { id } }');
    await eventually(() => spans.some(({ name }) => name === 'WEBSOCKET /graphql'));
    const operation = spans.find(({ attributes }) => attributes['graphql.operation.name'] === 'Over');
    const root = spans.find(({ name }) => name === 'WEBSOCKET /graphql');
    expect(operation?.parentSpanContext?.spanId).toBe(root?.spanContext().spanId);
  });

  it('goes on with a valid traceparent, and begins anew with any other', async () => {
    const { rest, treeOf } = await traced();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const spanId = '00f067aa0ba902b7';
    await rest.get('/health/live', { traceparent: `00-${traceId}-${spanId}-01`, 'x-request-id': 'theirs' });
    const { root } = await treeOf('theirs');
    expect(root.spanContext().traceId).toBe(traceId);
    expect(root.parentSpanContext).toMatchObject({ spanId, isRemote: true });
    const wrong = [
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `01-${traceId}-${spanId}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${traceId}-${spanId}-01-more`,
      'nonsense',
    ];
    for (const [index, traceparent] of wrong.entries()) {
      await rest.get('/health/live', { traceparent, 'x-request-id': `wrong-${index}` });
      const { root } = await treeOf(`wrong-${index}`);
      expect([root.spanContext().traceId, root.parentSpanContext], traceparent).not.toContain(traceId);
      expect(root.parentSpanContext).toBeUndefined();
    }
  });

  it('tells a refusal and a failure', async () => {
    const { newUser, database, treeOf } = await traced();
    const ana = await newUser();
    await ana.rest.post('/api/task-completions', { task_id: 404 }, { 'x-request-id': 'refused' });
    expect((await treeOf('refused')).root.attributes['error.type']).toBe('NOT_FOUND');
    await database.query().schema.alterTable('tasks').renameTo('elsewhere').execute();
    await ana.rest.get('/api/tasks/me', { 'x-request-id': 'failed' });
    expect((await treeOf('failed')).root.status.code).toBe(2);
  });

  it('has the streak job', async () => {
    const { database, clock, job, log, spans } = await traced();
    const schedule = new StreakSchedule(job, database, clock, log);
    onTestFinished(() => schedule.stop());
    await schedule.runOnce();
    const run = spans.find(({ name }) => name === 'streak job');
    const below = spans.filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === run?.spanContext().spanId,
    );
    expect(run).toBeDefined();
    if (inject('template').kind !== 'embedded') expect(below.length).toBeGreaterThan(0);
  });

  it('has nothing secret in it, and nothing that a client can make up but names of operations', async () => {
    const { rest, newUser, spans } = await traced();
    const secrets = { name: 'Sekrit Name', email: 'sekrit@example.com', password: 's3kr1t-password' };
    const ana = await newUser(secrets);
    await rest.post('/api/auth/login', secrets);
    await rest.post('/api/auth/login', { ...secrets, password: 'wr0ng-password' });
    await ana.hasTask({ title: 'Sekrit title' });
    await ana
      .query('query ($t: String) { tasks(filter: $t) { nodes { title } } }', { t: 'sekrit' })
      .catch(() => {});
    await ana.query('mutation { updateProfile(input: { name: "Sekrit too" }) { user { id } } }');
    await rest.get('/sekrit/path?sekrit=1', { 'x-request-id': 'last' });
    await eventually(() => spans.some(({ attributes }) => attributes['steady.request.id'] === 'last'));
    const all = JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]));
    expect(all).not.toMatch(/sekrit|s3kr1t|wr0ng/i);
    expect(all).not.toContain(ana.token);
    expect(all).not.toContain(ana.token.split('.')[2]);
  });
});

it.runIf(inject('template').kind === 'embedded')(
  'Statements of the embedded database are in traces, too',
  async () => {
    const { newUser, treeOf } = await traced();
    const ana = await newUser();
    await ana.rest.get('/api/user/profile', { 'x-request-id': 'profile' });
    expect((await treeOf('profile')).paths.some((path) => path.includes('> SELECT user'))).toBe(true);
  },
);
