import { sql } from 'kysely';
import { expect, inject, it, onTestFinished } from 'vitest';
import { PROGRESS } from '../../src/accounts/progress.announcement.js';
import { counting, type NewCompletion } from '../../src/completions/completion.queries.js';
import { isKeyUsed, newCompletion } from '../../src/completions/completion.service.js';
import { functionsOf } from '../../src/database/distributed/functions.js';
import { mayWrite } from '../../src/database/outcome.js';
import type { Statement } from '../../src/database/statement.js';
import { freshDatabase, isOnManyNodes } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { eventually } from '../support/eventually.js';
import { type World, world } from '../support/world.js';

type Row = Record<string, unknown>;
type Form = Statement<NewCompletion, Row>;

const { create, call } = functionsOf(counting.change);

/** The same history in this form, by a user far from UTC to whom somebody listens. */
async function lived({ newUser, database }: World, form: Form): Promise<unknown[]> {
  const ana = await newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "Asia/Kolkata" }) { user { id } } }');
  const task = await ana.hasTask({ points: 2.5 });
  const told: Row[] = [];
  const notify = (event: unknown) => void told.push(event as Row);
  const unsubscribe = await database.announcements.subscribe(ana.account.id, {
    ...{ topic: PROGRESS, notify, interrupt: () => {} },
  });
  const outcomes: unknown[] = [];
  const complete = async (at: string, taskId = task.id, idempotencyKey: string | null = null) => {
    const given = newCompletion(ana.account.id, { taskId, idempotencyKey }, new Date(at));
    const rows = await database.run(form, given).catch((error: unknown) => [{ isKeyUsed: isKeyUsed(error) }]);
    outcomes.push(rows.map(({ 'completion.id': _, createdAt, updatedAt, announced, ...row }: Row) => row));
  };
  await complete('2026-11-22T12:00:00Z', task.id, 'tap');
  await complete('2026-11-22T12:00:01Z', task.id, 'tap');
  await complete('2026-11-22T20:00:00Z'); // the next day of hers, not of UTC
  await complete('2026-11-23T20:00:00Z');
  await complete('2026-11-23T20:00:00Z', task.id + 1_000_000);
  await complete('2026-11-20T08:00:00Z'); // before a day that was counted
  await eventually(() => told.length === 3);
  outcomes.push(
    told.map(({ cause, taskId, completionId }) => [cause, taskId === task.id, Number(completionId) > 0]),
  );
  unsubscribe();
  const { points, current_streak, max_streak } = await ana.profile();
  return [...outcomes, { points, current_streak, max_streak }];
}

it('A completion that a function counts is counted and announced as by the statement', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  if (!isOnManyNodes(inject('template')))
    for (const text of create) await sql.raw(text).execute(database.query());
  const here = await world({ database });
  const byStatement = await lived(here, counting as unknown as Form);
  const byFunction = await lived(here, call as unknown as Form);
  expect(byFunction).toEqual(byStatement);
  expect(byStatement).toMatchObject([
    [{ completionCount: 1, 'progress.points': 2.5, 'progress.currentStreak': 1, 'completion.points': 2.5 }],
    [{ isKeyUsed: true }],
    [{ completionCount: 2, 'progress.points': 5, 'progress.currentStreak': 1, 'progress.longestUserRun': 2 }],
    [{ completionCount: 3, 'progress.points': 7.5, 'progress.currentStreak': 2 }],
    ...[[], []],
    Array(3).fill(['COMPLETED', true, true]),
    { points: 7.5, current_streak: 2, max_streak: 2 },
  ]);
  expect(await driftsOf(here)).toEqual([]);
});

it('A call that changes something is known as such, though its connection is lost', () => {
  expect(mayWrite(call.with({}).text)).toBe(true);
});
