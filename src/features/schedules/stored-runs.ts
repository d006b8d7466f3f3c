import { type RawBuilder, sql } from 'kysely';

type Part = RawBuilder<unknown>;

/** Where a run of days is kept. */
export interface RunColumns {
  table: 'user_progress' | 'tasks';
  lastDay: string;
  startedOn: string;
  longest: string;
  /** Null where the days of a run are one after the other, so that the first and the last one tell it. */
  count: string | null;
  /** Null where no plan or rest concerns the run. */
  needsJudge: string | null;
}

/** The runs of UTC days, of the user's days (if they are others), and of the user's days on which a task was completed. */
export const runColumns = {
  utc: {
    table: 'user_progress',
    lastDay: 'last_active_on',
    startedOn: 'run_started_on',
    longest: 'longest_run',
    count: null,
    needsJudge: null,
  },
  user: {
    table: 'user_progress',
    lastDay: 'last_user_day',
    startedOn: 'user_run_started_on',
    longest: 'longest_user_run',
    count: 'user_run_count',
    needsJudge: 'user_run_needs_lens',
  },
  task: {
    table: 'tasks',
    lastDay: 'last_day',
    startedOn: 'run_started_on',
    longest: 'longest_run',
    count: 'run_count',
    needsJudge: 'run_needs_lens',
  },
} satisfies Record<string, RunColumns>;

/**
 * Updates a run that needs no judge, for a completion on `day`, which must not be before its last day: each day counts,
 * and nothing rests after the last one. Without a day, there is no run.
 */
export const runAdvancedTo = (day: Part, { table, lastDay, startedOn, longest, count }: RunColumns) => {
  const stored = (column: string) => sql.ref(`${table}.${column}`);
  const goesOn = sql`${stored(lastDay)} >= ${day} - 1`;
  const start = sql`(case when ${goesOn} then ${stored(startedOn)} else ${day} end)`;
  const length = count
    ? sql`(case when ${goesOn} then ${stored(count)} + (${day} - ${stored(lastDay)}) else (${day} is not null)::int end)`
    : sql`${day} - ${start} + 1`;
  return sql`
    ${sql.ref(lastDay)} = ${day},
    ${sql.ref(startedOn)} = ${start}, ${count ? sql`${sql.ref(count)} = ${length},` : sql``}
    ${sql.ref(longest)} = greatest(${stored(longest)}, ${length})`;
};
