import { readFileSync } from 'node:fs';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Zones } from '../../src/features/account/zones.js';
import { ExportService } from '../../src/features/export-import/export.service.js';
import { FORMAT } from '../../src/features/export-import/import-file.js';
import { WEEKDAYS } from '../../src/features/schedules/schedule.js';
import { carried } from '../../src/features.js';
import { hourly } from '../support/histories.js';
import { rawConnection } from '../support/raw.js';
import { refusal, world, worldOf } from '../support/world.js';
import { exported } from './exported.js';

/** Someone with a little of everything. */
async function settled() {
  const here = await world();
  here.clock.set('2026-11-19T12:00:00.000Z');
  const ana = await here.newUser();
  await ana.hasAccepted(3);
  const swim = await ana.hasTask({ title: '=SUM("A1")', points: 2.5, challenge_template_id: 3 });
  const run = await ana.hasTask({ title: 'Run, "fast" or slow', description: 'é 😀', points: 1 });
  await ana.completes(swim);
  here.clock.set('2026-11-21T12:00:00.000Z');
  await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', swim);
  await ana.query(
    `mutation ($id: ID!) {
      moveTask(id: $id, behindTaskId: null) { task { id } }
      early: completeTask(taskId: $id, at: "2026-11-20T09:00:00.123Z") { isReplayed }
      updateProfile(input: { weekStartsOn: SATURDAY, language: DE }) { user { id } }
      updateTask(id: $id, input: { schedule: { timesPer: { count: 3, period: WEEK } }, target: { amount: 5, unit: "km" },
        colour: TEAL, icon: "👟", tags: ["Out", "früh"], section: "Früh" }) { task { id } }
      completeTask(taskId: $id, amount: 2.125, note: "=Rain, \\"cold\\"") { isReplayed }
      skipDay(taskId: $id, date: "2026-11-23", note: "é") { task { id } }
      ofTask: createPause(input: { taskId: $id, from: "2026-11-25", until: "2026-11-26" }) { pause { id } }
      createPause(input: { from: "2026-12-01", note: "Sea" }) { pause { id } }
    }`,
    run,
  );
  return { ...here, ana, swim, run };
}

describe('GET /account/export', () => {
  it('is one document of everything, in the user’s own order, as docs/export.schema.json says', async () => {
    const { ana, swim, run } = await settled();
    const answer = await ana.rest.get('/account/export');
    const { title } = (await ana.query('{ challengeTemplate(id: 3) { title } }')).challengeTemplate;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="steady-2026-11-21.json"');
    expect(answer.body).toMatchObject({
      ...FORMAT,
      exportedAt: '2026-11-21T12:00:00.000Z',
      account: {
        ...{ name: ana.account.name, email: ana.account.email, createdAt: '2026-11-19T12:00:00.000Z' },
        timeZone: 'UTC', // since a pause of everything is one of the user's own days
        ...{ dayStartsAt: 0, weekStartsOn: 'SATURDAY', language: 'DE', dayReminder: null },
      },
      tasks: [
        {
          ...{ id: run.id, title: 'Run, "fast" or slow', description: 'é 😀', challengeTemplateId: null },
          schedule: { times: { times: 3, per: 'WEEK' } },
          target: { amount: 5, unit: 'km', kind: 'AT_LEAST', per: 'DAY' },
          ...{ colour: 'TEAL', icon: '👟', tags: ['Out', 'früh'], section: 'Früh', archivedAt: null },
        },
        {
          ...{ id: swim.id, title: '=SUM("A1")', points: 2.5, target: null, tags: [] },
          ...{ challengeTemplateId: 3, challengeTemplateTitle: title, schedule: { weekdays: WEEKDAYS } },
          ...{ createdAt: '2026-11-19T12:00:00.000Z', archivedAt: '2026-11-21T12:00:00.000Z' },
        },
      ],
      challenges: [{ templateId: 3, templateTitle: title, status: 'ACTIVE' }],
      pauses: [
        { task: run.id, from: '2026-11-25', until: '2026-11-26', note: null },
        { task: null, from: '2026-12-01', until: null, note: 'Sea' },
      ],
      skips: [{ task: run.id, date: '2026-11-23', note: 'é' }],
      // All that they say, the table below says too.
      completions: [
        { task: swim.id, recordedAt: '2026-11-19T12:00:00.000Z' },
        { task: run.id, completedAt: '2026-11-20T09:00:00.123Z', day: '2026-11-20' },
        { task: run.id, amount: 2.125, note: '=Rain, "cold"' },
      ],
    });
    const text = readFileSync('docs/export.schema.json', 'utf8');
    // An import needs less than an export has.
    const left = ['identities', 'amount', 'note', 'weekdays', 'every', 'times'];
    const whole = JSON.parse(text, (_name, part) =>
      part?.properties
        ? { ...part, required: Object.keys(part.properties).filter((name) => !left.includes(name)) }
        : part,
    );
    const validator = new AjvJsonSchemaValidator();
    expect(validator.getValidator(whole)(answer.body)).toMatchObject({ valid: true });
  });

  it('answers HEAD, and nothing of an account that is gone; nothing else is below /account', async () => {
    const { ana, base, database } = await worldOf('ana');
    for (const path of ['/account/export', '/account/completions.csv']) {
      const headers = { authorization: `Bearer ${ana.token}` };
      const head = await fetch(base + path, { method: 'HEAD', headers });
      const found = [head.status, await head.text(), head.headers.get('cache-control')];
      expect(found).toEqual([200, '', 'no-store']);
      const posted = await ana.rest.post(path, {});
      expect(posted).toEqual(refusal(405, 'Use GET or HEAD here'));
      expect(posted.headers.get('allow')).toBe('GET, HEAD');
    }
    for (const path of ['/account', '/account/', '/account/Export'])
      expect(await ana.rest.get(path)).toEqual(refusal(404, 'Not found'));
    await sql`delete from users where id = ${ana.id}`.execute(database.query());
    expect(await ana.rest.get('/account/export')).toEqual(refusal(401, 'User not authenticated'));
  });

  it('keeps nobody waiting on any database while it is read, and has no completion of a task that came meanwhile', async () => {
    const { ana, database } = await worldOf('ana');
    await hourly(ana, await ana.hasTask(), 6_000).execute(database.query());
    const text = await new ExportService(database, systemClock, new Zones(database), carried).document(
      ana.id,
      async (parts) => {
        let read = `${(await parts.next()).value}${(await parts.next()).value}`; // the account, and its tasks
        const made = await ana.hasTask({ title: 'New' });
        expect((await ana.completes(made)).status).toBe(201);
        for await (const part of parts) read += part;
        return read;
      },
    );
    const { tasks, completions } = JSON.parse(text);
    expect([tasks.length, completions.length]).toEqual([1, 6_000]);
  });

  it('is refused to nobody who wrote a lot: every text may be as long as it can be', async () => {
    const { ana, database } = await worldOf('ana');
    const task = await ana.hasTask();
    await hourly(ana, task, 2_700).execute(database.query());
    await sql`update task_completions set note = repeat('😀', 1000) where user_id = ${ana.id}`.execute(
      database.query(),
    );
    await sql`
      insert into user_challenges (user_id, template_id, status, start_date, notes, created_at, updated_at)
      select ${ana.id}::uuid, 3, 'ABANDONED', at, repeat('😀', 10000), at, at
      from generate_series(timestamptz '2020-01-01', '2020-10-10', '1 day') at`.execute(database.query());
    const { completions, challenges } = await exported(ana);
    expect([completions.length, challenges.length]).toEqual([2_700, 284]);
    expect((await ana.rest.get('/account/completions.csv')).status).toBe(200);
  });

  it('is refused to nobody whose time zone the database does not know', async () => {
    const { ana, swim, database } = await settled();
    const moves = (zone: string) =>
      sql`update user_progress set time_zone = ${zone} where user_id = ${ana.id}`.execute(database.query());
    await moves('Mars/Olympus');
    const { tasks, challenges } = await exported(ana);
    expect(tasks).toContainEqual(expect.objectContaining({ id: swim.id, madeOn: null, archivedOn: null }));
    expect(challenges).toMatchObject([{ startedOn: null }]);
    await moves('UTC'); // what verifies the counters of all on this database asks for their days
  });

  it('holds no connection to the database while its client does not read', async () => {
    const { ana, base, database } = await worldOf('ana');
    await hourly(ana, await ana.hasTask(), 10_000).execute(database.query());
    await sql`update task_completions set note = repeat('😀', 250) where user_id = ${ana.id}`.execute(
      database.query(),
    );
    const slow = await rawConnection({ base });
    slow.send(`GET /account/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ana.token}\r\n\r\n`);
    await slow.answers(1);
    slow.pause();
    expect(await ana.profile()).toMatchObject({ id: ana.id });
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`.execute(
      database.query(),
    );
    expect(rows).toEqual([]);
    expect((await ana.rest.get('/account/export')).status).toBe(429); // it is still being sent
    slow.end();
  });
});

describe('GET /account/completions.csv', () => {
  it('is a table that spreadsheets read, and take no title for a formula', async () => {
    const { ana, swim, run } = await settled();
    const answer = await ana.rest.get('/account/completions.csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.text.split('\r\n')).toEqual([
      'completed_at,day,recorded_at,points,task_id,task,amount,note',
      `2026-11-19T12:00:00.000Z,2026-11-19,2026-11-19T12:00:00.000Z,2.5,${swim.id},"'=SUM(""A1"")",,`,
      `2026-11-20T09:00:00.123Z,2026-11-20,2026-11-21T12:00:00.000Z,1,${run.id},"Run, ""fast"" or slow",,`,
      `2026-11-21T12:00:00.000Z,2026-11-21,2026-11-21T12:00:00.000Z,1,${run.id},"Run, ""fast"" or slow",2.125,"'=Rain, ""cold"""`,
      '',
    ]);
  });

  it('takes no part of a title for a formula where a spreadsheet splits it', async () => {
    const { ana, database } = await worldOf('ana');
    const cells = {
      'x;=1+1;y': "x;'=1+1;y",
      'x; "=1+1': `x;' ""=1+1`,
      '\u00a0=1+1': "'\u00a0=1+1",
      'a=b; c-d': 'a=b; c-d',
    };
    for (const title of Object.keys(cells)) {
      const task = await ana.hasTask();
      await sql`update tasks set title = ${title} where id = ${task.id} and user_id = ${ana.id}`.execute(
        database.query(),
      );
      await ana.completes(task);
    }
    const { text } = await ana.rest.get('/account/completions.csv');
    expect([...text.matchAll(/,\d+,"(.*)",,\r/g)].map(([, cell]) => cell)).toEqual(Object.values(cells));
  });
});
