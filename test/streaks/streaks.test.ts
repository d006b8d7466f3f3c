import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { AccountTables } from '../../src/features/account/account.queries.js';
import type { TestUser, World } from '../support/world.js';
import { swimmer } from './swimmer.js';

/** The streak as the service stores it. */
async function streakOf(user: TestUser, { database }: World) {
  const { rows } = await sql`
    select points, current_streak, max_streak, longest_run, last_active_on, run_started_on
    from user_progress where user_id = ${user.id}
  `.execute(database.query<AccountTables>());
  return rows[0];
}

async function storedSwimmer() {
  const here = await swimmer();
  const jobAt = (iso: string) => here.job.run(new Date(iso));
  return { ...here, jobAt, streak: () => streakOf(here.ana, here) };
}

describe('The streak at completion', () => {
  it('is exact when completions overtake each other at midnight in great numbers', async () => {
    const { ana, swim, clock, job, streak } = await storedSwimmer();
    const instants = Array.from({ length: 60 }, (_, index) =>
      index % 3 ? '2026-11-22T00:00:00.000Z' : '2026-11-21T23:59:59.999Z',
    );
    // The clock is read before anything is waited for, so each request takes its own instant along.
    const answers = await Promise.all(
      instants.map((iso) => {
        clock.set(iso);
        return ana.completes(swim);
      }),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    await job.run(new Date('2026-11-22T01:00:00Z'));
    const days = new Set(answers.map(({ body }) => body.completed_at.slice(0, 10)));
    expect(await streak()).toMatchObject({
      points: 150,
      current_streak: days.size,
      longest_run: days.size,
      last_active_on: [...days].sort().at(-1),
    });
  });
});

describe('The streak job', () => {
  it.each([
    ['keeps a streak whose last day is today', '2026-11-21T23:59:59.999Z', 2, 2],
    ['keeps a streak whose last day is yesterday', '2026-11-22T23:59:59.999Z', 2, 2],
    ['ends a streak once a whole day has been missed', '2026-11-23T00:00:00.000Z', 0, 2],
    ['ends a streak the same way days later', '2026-12-24T06:00:00.000Z', 0, 2],
  ])('%s', async (_what, now, current, max) => {
    const { completesAt, jobAt, streak } = await storedSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z');
    await completesAt('2026-11-21T12:00:00.000Z');
    await jobAt(now);
    expect(await streak()).toMatchObject({ current_streak: current, max_streak: max });
  });

  it('sets a streak to 1 when yesterday was missed and a task was completed today before the job ran', async () => {
    const { completesAt, jobAt, streak } = await storedSwimmer();
    for (const day of ['17', '18', '19', '21']) await completesAt(`2026-11-${day}T12:00:00.000Z`);
    expect(await streak()).toMatchObject({ current_streak: 4, max_streak: 4 });
    await jobAt('2026-11-21T13:00:00.000Z');
    expect(await streak()).toMatchObject({ current_streak: 1, max_streak: 3, longest_run: 3 });
  });

  it('changes neither the update time of the user nor the tasks', async () => {
    const { ana, swim, completesAt, jobAt } = await storedSwimmer();
    const before = await ana.profile();
    await completesAt('2026-11-22T12:00:00.000Z');
    await jobAt('2026-11-30T00:00:00.000Z');
    expect((await ana.profile()).updated_at).toBe(before.updated_at);
    const [{ task }] = (await ana.rest.get('/api/tasks/me')).body;
    expect(task).toEqual(swim);
  });
});
