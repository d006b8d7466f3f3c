import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { restoreCounters } from '../../src/features/history/completions/recount.js';
import { daysAfter } from '../../src/features/schedules/day.js';
import { configOf } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { eventually } from '../support/eventually.js';
import { streamOf } from '../support/live.js';
import { socketTo } from '../support/raw.js';
import { refusal, type TestUser, world, worldOf } from '../support/world.js';
import { comparable, exported } from './exported.js';

const NOW = '2026-11-21T12:00:00.000Z';

/** Of somebody in Auckland, whose day begins at four, with an order, an archive, challenges, plans and rests. */
async function history(completions: number) {
  const here = await world();
  here.clock.set('2026-11-01T12:00:00.000Z');
  const ana = await here.newUser();
  await ana.query(
    'mutation { updateProfile(input: { timeZone: "Pacific/Auckland", dayStartsAt: 4, weekStartsOn: SUNDAY, language: FR }) { user { id } } }',
  );
  const ended = await ana.hasAccepted(2);
  const tasks: string[] = [];
  for (const input of [
    { schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'SATURDAY'] } },
    { schedule: { timesPer: { count: 2, period: 'WEEK' } }, tags: ['Sea', 'früh'] },
    { schedule: { everyDays: 1 }, target: { amount: 1.5, unit: 'l' }, colour: 'CYAN', icon: '🥤' },
    { challengeTemplateId: 2 },
    { schedule: { everyDays: 3 } },
  ]) {
    const made = { title: `Task ${tasks.length}`, points: tasks.length + 0.1, ...input };
    tasks.push((await ana.query(CREATE, { input: made })).createTask.task.id);
  }
  await ana.rest.put(`/api/user-challenges/${ended.id}/notes`, { notes: 'Well "done"\n😀' });
  await ana.rest.put(`/api/user-challenges/${ended.id}/complete`);
  await ana.hasAccepted(3);
  for (let turn = 0; turn < completions; turn += 1) {
    here.clock.advance({ hours: 1 + ((turn * 7) % 19) });
    const id = tasks[turn % 5];
    const drunk = turn % 2 ? { amount: 0.75, note: 'A "sip"\n💧' } : { amount: 1.725 };
    await ana.query(DO, { id, ...(turn % 5 === 2 && drunk) });
  }
  const today = here.clock.now().toISOString().slice(0, 10);
  const [until, later] = [daysAfter(today, 3), daysAfter(today, 9)];
  await ana.query(REST, { id: tasks[4], date: today, until, later });
  here.clock.set(NOW);
  const me = here.renewed(ana);
  await me.query(`mutation { moveTask(id: "${tasks[3]}", behindTaskId: null) { task { id } }
    archiveTask(id: "${tasks[1]}") { task { id } } }`);
  return { here, ana: me, file: await exported(me) };
}

let made: Awaited<ReturnType<typeof exported>>;

/** A file with five completions of such a history, and a place to bring it to. */
async function withFile() {
  const here = await world();
  made ??= (await history(5)).file;
  here.clock.set(NOW);
  return { here, file: made };
}

const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';

const DO = `mutation ($id: ID!, $amount: Float, $note: String) {
  completeTask(taskId: $id, amount: $amount, note: $note) { isReplayed } }`;

const REST = `mutation ($id: ID!, $date: Date!, $until: Date!, $later: Date!) {
  one: skipDay(taskId: $id, date: $date, note: "Ill; =1+1") { task { id } }
  other: skipDay(taskId: $id, date: $later) { task { id } }
  task: createPause(input: { taskId: $id, from: $until, note: "Knee" }) { pause { id } }
  all: createPause(input: { from: $date, until: $until }) { pause { id } } }`;

const headOf = ({ token }: TestUser, length: number) =>
  [
    'POST /account/import HTTP/1.1\r\nHost: a\r\nContent-Type: application/json',
    `Authorization: Bearer ${token}\r\nContent-Length: ${length}`,
  ].join('\r\n');

const countOf = async (user: TestUser) => {
  const { tasks, challenges, completions } = await exported(user);
  return [tasks, challenges, completions].map((list) => list.length);
};

describe('POST /account/import', () => {
  it('brings an export into another account, and its export is equal', async () => {
    const { here, ana, file } = await history(40);
    expect([file.pauses.length, file.skips.length]).toEqual([2, 2]);
    const bea = await here.newUser();
    const heard = await streamOf(bea, 'subscription { progressChanged { kind taskIds task { id } } }');
    const answer = await bea.rest.post('/account/import', file);
    expect([answer.status, answer.body]).toEqual([201, { tasks: 5, challenges: 2, completions: 40 }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const imported = (await bea.rest.get('/api/tasks/me')).body;
    const taskIds = imported.map(({ task }: { task: { id: number } }) => `${task.id}`);
    expect((await heard.next()).data.progressChanged).toEqual({
      ...{ kind: 'IMPORTED', task: null },
      taskIds: expect.toSatisfy((ids: string[]) => isDeepStrictEqual(ids.sort(), taskIds.sort())),
    });
    expect(comparable(await exported(bea))).toEqual(comparable(file));
    expect(await driftsOf(here, bea)).toEqual([]);
    const counters = (user: TestUser) =>
      user.query(
        `{ me { points weekStartsOn streak { count longest aliveUntil } } tasks(archived: ANY) { nodes {
          title completionCount lastCompletedAt schedule { everyDay weekdays everyDays } streak { unit count longest aliveUntil atRisk }
          today { state amount remaining } calendar(from: "2026-11-01", to: "2026-12-05") { date state amount notes } } } }`,
      );
    expect(await counters(bea)).toEqual(await counters(ana));
    const made = await bea.hasTask({ title: 'New' });
    const { tasks } = await bea.query('{ tasks { nodes { id } } }');
    expect(tasks.nodes.at(-1).id).toBe(String(made.id));
    expect((await bea.completes(made)).status).toBe(201);
  });

  it('keeps the days of then, whatever the time zone of the account', async () => {
    const { here, ana, file } = await history(5);
    const days = ({ tasks, challenges }: Awaited<ReturnType<typeof exported>>) => [
      ...tasks.map(({ madeOn, archivedOn }: Record<string, string>) => [madeOn, archivedOn]),
      ...challenges.map(({ startedOn }: Record<string, string>) => startedOn),
    ];
    const told = (user: TestUser) =>
      user.query(`{ challenges { nodes { progress { daysDone } } }
        me { calendar(from: "2026-10-30", to: "2026-11-20") { date dueCount keptCount } } }`);
    expect(days(file)).toContainEqual(['2026-11-01', '2026-11-21']);
    const before = await told(ana);
    for (const timeZone of ['Pacific/Honolulu', 'Pacific/Kiritimati']) {
      const ben = await here.newUser();
      await ben.query(
        `mutation { updateProfile(input: { timeZone: "${timeZone}", weekStartsOn: SUNDAY }) { user { id } } }`,
      );
      const answer = await ben.rest.post('/account/import?into=existing', file);
      expect(answer.status, answer.text).toBe(201);
      expect(await told(ben)).toEqual(before);
      expect(days(await exported(ben))).toEqual(days(file));
    }
  });

  it('gives an empty account the days of the file, and leaves a challenge there its first day', async () => {
    const { here, file } = await withFile();
    here.clock.set('2026-11-21T16:00:00.000Z'); // the 22nd in Auckland
    for (const [timeZone, startedOn] of [
      ['Pacific/Honolulu', '2026-11-21'],
      ['Mars/Olympus', '2026-11-22'], // which the database does not know
    ]) {
      const ben = await here.newUser();
      await sql`update user_progress set time_zone = ${timeZone} where user_id = ${ben.id}`.execute(
        here.database.query(),
      );
      const { id } = await ben.hasAccepted(4);
      await ben.rest.put(`/api/user-challenges/${id}/abandon`);
      expect((await ben.rest.post('/account/import', file)).status).toBe(201);
      const { account, challenges } = await exported(ben);
      expect([account.timeZone, challenges.at(-1).startedOn]).toEqual(['Pacific/Auckland', startedOn]);
    }
  });

  it('finds challenge templates by their titles, or in a file of before by their ids', async () => {
    const { here, file } = await withFile();
    const changed = (field: RegExp, change: (value: unknown) => unknown) =>
      JSON.parse(JSON.stringify(file, (name, value) => (field.test(name) ? change(value) : value)));
    const elsewhere = changed(/emplateId$/, (id) => (id === null ? null : Number(id) + 1));
    const before = changed(/emplateTitle$/, () => undefined);
    for (const given of [elsewhere, before]) {
      const bea = await here.newUser();
      expect((await bea.rest.post('/account/import', given)).status).toBe(201);
      expect(comparable(await exported(bea))).toEqual(comparable(file));
    }
    const cleo = await here.newUser();
    const challenges = [{ ...file.challenges[0], templateTitle: 'Of another server' }];
    expect(await cleo.rest.post('/account/import', { ...file, challenges })).toMatchObject({
      ...{ status: 400, body: { error: 'Challenge 1: The challenge template is not known here' } },
    });
  });

  it('adds nothing when it brings the same file without tasks again', async () => {
    const { here, file } = await withFile();
    const pauses = [{ from: '2026-11-20', note: 'Off' }];
    const rests = { ...file, tasks: [], completions: [], skips: [], pauses };
    const bea = await here.newUser();
    for (const challenges of [2, 0])
      expect((await bea.rest.post('/account/import', rests)).body).toMatchObject({ challenges });
    expect((await exported(bea)).pauses).toEqual([
      { task: null, from: '2026-11-20', until: null, note: 'Off' },
    ]);
    const other = { ...rests, pauses: [{ from: '2026-11-10', until: '2026-11-20' }] };
    expect(await bea.rest.post('/account/import', other)).toEqual(
      refusal(400, 'There is a pause on 2026-11-20 already'),
    );
  });

  it('refuses an account that has a task, before it takes the file, and an active challenge beside an active one', async () => {
    const { here, file } = await withFile();
    const [ana, bea, cleo] = [await here.newUser(), await here.newUser(), await here.newUser()];
    await ana.hasTask();
    const socket = socketTo(here);
    socket.write(`${headOf(ana, 1_000_000)}\r\n\r\n{"format":`);
    expect(String((await once(socket, 'data'))[0])).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*The account has tasks already: send the file with \?into=existing/,
    );
    await bea.hasAccepted(1);
    expect(await bea.rest.post('/account/import', file)).toEqual(
      refusal(400, 'Você já possui um desafio ativo'),
    );
    expect(await countOf(bea)).toEqual([0, 1, 0]);
    const answers = await Promise.all([1, 2, 3].map(() => cleo.rest.post('/account/import', file)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
    expect(answers).toContainEqual(refusal(429, 'An import of this account is under way already'));
    expect(await countOf(cleo)).toEqual([5, 2, 5]);
  });

  it('counts many tasks in pieces', async () => {
    const { ana, ...here } = await worldOf('ana');
    const template = await ana.hasTask();
    await sql`
      with made as (
        insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at)
        select user_id, title, points, is_daily_routine, created_at, updated_at
        from tasks, generate_series(1, 1000) where id = ${template.id} and user_id = ${ana.id} returning *
      )
      insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select user_id, id, 0.1, date '2026-11-20' - id::int % 9, date '2026-11-20' - id::int % 9, now()
      from made`.execute(here.database.query());
    await here.database.transaction((tx) => restoreCounters(tx.getKysely(), ana.id, '2026-11-21'));
    expect(await driftsOf(here, ana)).toEqual([]);
  });

  it('needs a body in JSON that is not too large, a place that is known, and POST', async () => {
    const { newUser } = await world({ config: { ...configOf(), importLimit: 2_000 } });
    const { rest } = await newUser();
    expect((await rest.post('/account/import', '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const large = await rest.post('/account/import', { format: 'a'.repeat(3_000) });
    expect(large).toEqual(refusal(413, 'The file is too large: at most 2000 bytes'));
    expect(await rest.post('/account/import', '{"a')).toEqual(refusal(400, 'The file is not valid JSON'));
    const strange = await rest.post('/account/import?into=nowhere', {});
    expect(strange).toEqual(refusal(400, 'Into must be existing, or left out'));
    const got = await rest.get('/account/import');
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('says what is wrong with a file, keeps nothing of it, nor when it ends in the middle, and lets the account try again', async () => {
    const { here, file } = await withFile();
    const bea = await here.newUser();
    const account = { timeZone: 'Mars/Olympus', dayStartsAt: 0 };
    const tasks = [{ ...file.tasks[0], titel: 'Swim' }, ...file.tasks.slice(1)];
    const { status, body } = await bea.rest.post('/account/import', { ...file, account, tasks });
    expect([status, body.error]).toEqual([400, 'Task 1: titel is not a field that Steady knows']);
    expect(body.faults).toEqual([
      { path: 'tasks[0].titel', message: body.error },
      { path: 'account.timeZone', message: expect.stringContaining('Time zone must be a name of the IANA') },
    ]);
    await sql
      .raw(`alter table task_completions add constraint stumble check (points <> 3.14)`)
      .execute(here.database.query());
    try {
      const completions = [...file.completions, { ...file.completions[0], points: 3.14 }];
      const answer = await bea.rest.post('/account/import', { ...file, completions });
      expect(answer).toEqual(refusal(500, 'Internal server error'));
    } finally {
      await sql.raw('alter table task_completions drop constraint stumble').execute(here.database.query());
    }
    expect(await countOf(bea)).toEqual([0, 0, 0]);
    expect(await bea.query('{ me { timeZone points } }')).toEqual({ me: { timeZone: 'UTC', points: 0 } });
    here.clock.advance({ seconds: 10 });
    expect((await bea.rest.post('/account/import', file)).status).toBe(201);
  });

  it('is taken while another arrives slowly, or breaks off', async () => {
    const { ana, bea, cleo, ...here } = await worldOf('ana', 'bea', 'cleo');
    const file = JSON.stringify((await bea.rest.get('/account/export')).body);
    const half = `${headOf(ana, file.length)}\r\nExpect: 100-continue\r\n\r\n${file.slice(0, 9)}`;
    const slow = socketTo(here);
    slow.write(half);
    await once(slow, 'data'); // the service waits for the rest
    expect((await bea.rest.post('/account/import', file)).status).toBe(201);
    slow.write(file.slice(9));
    expect(String((await once(slow, 'data'))[0])).toMatch(/^HTTP\/1\.1 201 /);
    const broken = socketTo(here);
    broken.write(half);
    await once(broken, 'data');
    broken.destroy();
    expect((await cleo.rest.post('/account/import', file)).status).toBe(201);
  });

  it('waits while another is at work, as all may whose files fit into memory, and is refused at once beyond', async () => {
    const importLimit = 12_000_000;
    const here = await world({ config: { ...configOf(), importLimit } });
    const [ana, ...others] = await Promise.all(Array.from({ length: 7 }, () => here.newUser()));
    const small = JSON.stringify((await ana?.rest.get('/account/export'))?.body);
    const statusOf = async (body: BodyInit, user?: TestUser) => {
      const headers = { authorization: `Bearer ${user?.token}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body, duplex: 'half' };
      return (await fetch(`${here.base}/account/import`, sent)).status;
    };
    const answers = await here.database.transaction(async (tx) => {
      await sql`select from user_progress where user_id = ${ana?.id} for update`.execute(tx.getKysely());
      // Without a length, each may be as large as any.
      const ofNoLength = others.map((user) => statusOf(new Blob([small]).stream(), user));
      const all = [statusOf(small.padEnd(importLimit), ana), ...ofNoLength];
      const refused: unknown[] = [];
      for (const each of all) each.then((status) => status === 503 && refused.push(status));
      await eventually(() => refused.length === 2); // while the first waits for the lock, and the others for it
      return all;
    });
    expect((await Promise.all(answers)).sort()).toEqual([201, 201, 201, 201, 201, 503, 503]);
  });
});
