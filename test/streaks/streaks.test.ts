import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { AccountTables } from '../../src/features/account/account.queries.js';
import { swimmer } from './swimmer.js';

async function storedSwimmer() {
  const here = await swimmer();
  const jobAt = (iso: string) => here.job.run(new Date(iso));
  /** As the service stores it. */
  const streak = async () => {
    const { rows } = await sql`
      select points, current_streak, max_streak, longest_run, last_active_on
      from user_progress where user_id = ${here.ana.id}`.execute(here.database.query<AccountTables>());
    return rows[0];
  };
  return { ...here, jobAt, streak };
}

it('The streak is exact when completions overtake each other at midnight in great numbers', async () => {
  const { ana, swim, clock, jobAt, streak } = await storedSwimmer();
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
  await jobAt('2026-11-22T01:00:00Z');
  const days = [...new Set(answers.map(({ body }) => body.completed_at.slice(0, 10)))].sort();
  expect(await streak()).toMatchObject({
    ...{ points: 150, current_streak: days.length, longest_run: days.length, last_active_on: days.at(-1) },
  });
});

describe('The streak job', () => {
  it.each([
    ['keeps a streak whose last day is yesterday', '2026-11-22T23:59:59.999Z', 2],
    ['ends a streak once a whole day has been missed', '2026-11-23T00:00:00.000Z', 0],
    ['ends a streak the same way days later', '2026-12-24T06:00:00.000Z', 0],
  ])('%s', async (_what, now, current_streak) => {
    const { completesAt, jobAt, streak } = await storedSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z', '2026-11-21T12:00:00.000Z');
    await jobAt(now);
    expect(await streak()).toMatchObject({ current_streak, max_streak: 2 });
  });

  it('sets a streak to 1 when yesterday was missed and a task was completed today before the job ran', async () => {
    const { ana, completesAt, jobAt, streak } = await storedSwimmer();
    const { updated_at } = await ana.profile();
    for (const day of ['17', '18', '19', '21']) await completesAt(`2026-11-${day}T12:00:00.000Z`);
    expect(await streak()).toMatchObject({ current_streak: 4, max_streak: 4 });
    await jobAt('2026-11-21T13:00:00.000Z');
    expect(await streak()).toMatchObject({ current_streak: 1, max_streak: 3, longest_run: 3 });
    expect(await ana.profile()).toMatchObject({ updated_at }); // which is when the user changed something
  });
});
