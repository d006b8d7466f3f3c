import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { swimmer } from './swimmer.js';

async function storedSwimmer() {
  const here = await swimmer();
  const jobAt = (iso: string) => here.job.run(new Date(iso));
  /** As the service stores it. */
  const streak = async () =>
    (
      await sql`
        select points, current_streak, max_streak, longest_run, last_active_on
        from user_progress where user_id = ${here.ana.id}`.execute(here.database.query())
    ).rows[0];
  return { ...here, jobAt, streak };
}

it('The streak is exact when completions overtake each other at midnight in great numbers', async () => {
  const { ana, swim, clock, jobAt, streak } = await storedSwimmer();
  const instants = Array.from({ length: 30 }, (_, index) =>
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
    ...{ points: 75, current_streak: days.length, longest_run: days.length, last_active_on: days.at(-1) },
  });
});

it('The streak job keeps a streak until a whole day was missed, and tells how long the last run of days is', async () => {
  const { ana, completesAt, jobAt, streak } = await storedSwimmer();
  const { updated_at } = await ana.profile();
  for (const day of ['17', '18', '19']) await completesAt(`2026-11-${day}T12:00:00.000Z`);
  for (const [at, current_streak] of [
    ['2026-11-20T23:59:59.999Z', 3],
    ['2026-11-21T00:00:00.000Z', 0],
    ['2026-12-24T06:00:00.000Z', 0],
  ] as const) {
    await jobAt(at);
    expect(await streak(), at).toMatchObject({ current_streak, max_streak: 3 });
  }
  await jobAt('2026-11-19T13:00:00.000Z');
  await completesAt('2026-11-21T12:00:00.000Z'); // before the job has run
  expect(await streak()).toMatchObject({ current_streak: 4, max_streak: 4 });
  await jobAt('2026-11-21T13:00:00.000Z');
  expect(await streak()).toMatchObject({ current_streak: 1, max_streak: 3, longest_run: 3 });
  expect(await ana.profile()).toMatchObject({ updated_at }); // which is when the user changed something
});
