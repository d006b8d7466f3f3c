import { describe, expect, it } from 'vitest';
import { withLimits } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { isCommit, isStatement } from '../support/proxy.js';
import { numberOf, type Service, serviceOn } from '../support/service.js';
import { withServer } from '../support/with-server.js';
import { type Answer, refusal } from '../support/world.js';

const nothingChanged = 'Service unavailable, nothing was changed';
const outcomeUnknown = 'The outcome is unknown';
const NOT_APPLIED = refusal(503, nothingChanged);
const UNKNOWN = refusal(503, outcomeUnknown);
const isCompletion = isStatement('insert into task_completions');
/** Any message, with parameters or without. */
const says =
  (words: string) =>
  ({ text }: { text: string }) =>
    text.includes(words);

const server = withServer();

const service = (environment?: Record<string, string>) => serviceOn(server, environment);

/** The pool as the service tells it, once nobody asks for anything any more. */
const connections = async ({ rest }: Service) => (await rest.get('/health/ready')).body.connections;

/** A read is asked again when its connection is lost, so once would not be noticed. */
const resetEach = (proxy: Service['proxy'], isMeant: Parameters<Service['proxy']['whenever']>[0]) =>
  proxy.whenever(isMeant, (wire) => wire.reset());

describe('While the database is away', () => {
  it.each(['is killed', 'cannot be reached'])(
    'because it %s, every request is answered, and the service reports it and recovers by itself',
    async (fault) => {
      const there = await service();
      const { rest, ana, task, proxy, process } = there;
      const ready = async () => (await rest.get('/health/ready')).status;
      if (fault === 'is killed') await server.halt('kill');
      else proxy.stall();
      const asked = [ana.completes(task), ana.rest.post('/api/tasks', { title: 'Read' })];
      for (const { status } of await Promise.all(asked)) expect(status).toBe(503);
      await eventually(async () => (await ready()) === 503);
      expect((await rest.get('/health/live')).status).toBe(200);

      if (fault === 'is killed') await server.start();
      proxy.reset();
      await proxy.heal();
      await eventually(async () => (await ready()) === 200);
      await eventually(async () => (await ana.completes(task)).status === 201);
      await eventually(async () => {
        const { open, idle, waiting } = await connections(there);
        return open === idle && waiting === 0;
      });
      expect(process.child.exitCode).toBeNull();
    },
  );

  it('a client is told what became of what it asked: NOT_APPLIED, APPLIED, or UNKNOWN where it may have been committed', async () => {
    const { proxy, ana, task, direct } = await service();
    const makesTask = () => ana.rest.post('/api/tasks', { title: 'Read' });
    resetEach(proxy, isStatement('select'));
    expect(await ana.rest.get('/api/user/profile')).toEqual(NOT_APPLIED);
    await proxy.heal();
    proxy.swallow(says('insert into "tasks"'), 'reset');
    expect(await makesTask()).toEqual(NOT_APPLIED);
    proxy.swallow(isCompletion, 'reset');
    expect(await ana.completes(task)).toEqual(UNKNOWN);
    proxy.swallow(isCommit, 'reset');
    expect(await makesTask()).toEqual(UNKNOWN);
    const counts = async () => [await numberOf(direct, 'tasks'), await numberOf(direct, 'task_completions')];
    expect(await counts()).toEqual([2, 1]);
    resetEach(proxy, isStatement('"users"."name"')); // its answer cannot be read
    const query = `mutation { completeTask(taskId: ${task.id}) { user { name } } }`;
    const { body } = await ana.rest.post('/graphql', { query });
    expect(body.errors).toMatchObject([{ extensions: { outcome: 'APPLIED' } }]);
    expect(await counts()).toEqual([2, 2]);
  });

  it('an acknowledged write is not lost on a connection whose rollback got no answer', async () => {
    const there = await service(withLimits({ databasePoolSize: 1 }));
    const { proxy, ana, task, direct } = there;
    const held = proxy.when(says('for update'), () => {});
    await direct.query('begin; select from tasks for update');
    const refused = ana.rest.put(`/api/tasks/${task.id}`, { title: 'Read' }); // waits for the lock, then rolls back
    await held;
    proxy.when(says('rollback'), (wire) => wire.stall());
    expect(await refused).toEqual(NOT_APPLIED);
    await direct.query('rollback');
    const { body } = await ana.completes(task);
    expect((await direct.query('select id::int from task_completions')).rows).toEqual([{ id: body.id }]);
  });
});

describe('A write that was given up', () => {
  it('is neither carried out nor committed after a newer one was answered', async () => {
    const { proxy, ana, task, direct } = await service();
    const makes = (title: string) => ana.rest.post('/api/tasks', { title });
    for (const [isMeant, older, newer] of [
      [isCompletion, () => ana.completes(task), () => ana.completes(task)],
      [isCommit, () => makes('Old'), () => makes('New')],
    ] as const) {
      const stalled = proxy.when(isMeant, (wire) => wire.stall());
      const old = older();
      const wire = await stalled;
      expect(await old).toEqual(UNKNOWN);
      expect((await newer()).status).toBe(201);
      wire.resume();
      await eventually(() => !proxy.wires.has(wire));
    }
    expect(await numberOf(direct, 'task_completions')).toBe(1);
    const { rows } = await direct.query('select title from tasks order by id');
    expect(rows.map(({ title }) => title)).toEqual(['Swim', 'New']);
  });
});

describe('200 connections cut in the middle of commits', () => {
  it('never make the service say that nothing was changed when something was', async () => {
    const { proxy, ana, direct } = await service(withLimits({ databasePoolSize: 20 }));
    const endings = ['cut', 'reset'] as const;
    let cuts = 0;
    // Some before the server has seen it, some after, some while its answer is under way.
    proxy.whenever(
      (message) => isCommit(message) || isCompletion(message),
      (wire) => {
        const ending = endings[cuts % 2] ?? 'cut';
        const way = Math.floor(cuts / 2) % 4;
        cuts += 1;
        if (way === 0) wire[ending]();
        else if (way === 1) wire.swallow(() => wire[ending]());
        else if (way === 2) wire.cutAfter((cuts * 7) % 40, 'toClient');
        else wire.cutAfter((cuts * 13) % 200, 'toServer');
      },
    );
    const outcomes: { title: string; answer: Answer }[] = [];
    const client = async (number: number) => {
      for (let round = 0; cuts < 200; round += 1) {
        const title = `${number}-${round}`;
        outcomes.push({ title, answer: await ana.rest.post('/api/tasks', { title }) });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, number) => client(number)));
    await proxy.heal();
    const { rows } = await direct.query('select title from tasks');
    const stored = new Set(rows.map(({ title }) => title));
    const falsely = outcomes.filter(
      ({ title, answer }) => stored.has(title) && answer.body.error === nothingChanged,
    );
    const lost = outcomes.filter(({ title, answer }) => !stored.has(title) && answer.status === 201);
    expect({ falsely, lost }).toEqual({ falsely: [], lost: [] });
    expect(outcomes.filter(({ answer }) => answer.body.error === outcomeUnknown).length).toBeGreaterThan(40);
  });
});
