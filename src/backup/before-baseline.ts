import { type Kysely, sql } from 'kysely';
import { BASELINE, BEFORE_BASELINE } from '../database/migrations.js';
import type { Header } from './format.js';

// The one bridge from releases before 1.0.0. The tables of their last migration are those of the baseline, except that
// a completion could lack `day` and `recorded_at`, and that `revocations` had two columns more, with rows for generations.

const isBeforeBaseline = ({ migration }: Header) => migration === BEFORE_BASELINE.last;

/** The migration that makes the tables of a backup. */
export const migrationOf = (header: Header): string =>
  isBeforeBaseline(header) ? BASELINE : header.migration;

/** Gives `revocations` the columns that the backup has. */
export async function withFormerColumns(query: Kysely<unknown>, header: Header): Promise<void> {
  if (isBeforeBaseline(header))
    await sql`alter table revocations add column generation int, add column change bigint`.execute(query);
}

/** Takes them away again: the generation of a user is in `users`. */
export async function withoutFormerColumns(query: Kysely<unknown>, header: Header): Promise<void> {
  if (!isBeforeBaseline(header)) return;
  await sql`delete from revocations where generation is not null`.execute(query);
  await sql`alter table revocations drop column generation, drop column change`.execute(query);
}

/** Lets `insert` add completions that lack these columns, and then fills in the meaning of that. */
export async function withoutDays<T>(
  query: Kysely<unknown>,
  header: Header,
  insert: () => Promise<T>,
): Promise<T> {
  if (!isBeforeBaseline(header)) return insert();
  const alter = (change: string) =>
    sql`alter table task_completions alter column day ${sql.raw(change)}, alter column recorded_at ${sql.raw(change)}`;
  await alter('drop not null').execute(query);
  const inserted = await insert();
  await sql`
    update task_completions set
      day = coalesce(day, (completed_at at time zone 'UTC')::date),
      recorded_at = coalesce(recorded_at, completed_at)
    where day is null or recorded_at is null`.execute(query);
  await alter('set not null').execute(query);
  return inserted;
}
