import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { carried, DayText, inPages } from '../../../base/carried.js';
import type { Problem } from '../../../base/carried-file.js';
import { invalid } from '../../../base/errors.js';
import { yieldToOthers } from '../../../base/queues/event-loop.js';
import { Counts } from '../../../base/queues/fair-semaphore.js';
import { Clearable, Id, limits, Text } from '../../../base/validation.js';
import { insertAll } from '../../../database/columns.js';
import { type Day, daysAfter, latestDayAt } from '../../schedules/day.js';
import { meaningOfTask, noTask } from '../completions/carried.js';
import { historyLimits } from '../limits.js';
import { Pause } from './pause.entity.js';
import { type RestTables, selectPauses } from './pause.queries.js';
import { tooManyPauses, tooManySkips } from './pause.service.js';
import { Skip } from './skip.entity.js';

export class ImportedSkip {
  @Id()
  task!: number;

  @DayText()
  date!: string;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

export class ImportedPause {
  /** Null: all tasks, and the user. */
  @Clearable()
  @Id()
  task?: number | null;

  @DayText()
  from!: string;

  @Clearable()
  @DayText()
  until?: string | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

/** More than a life has of each. */
const MOST = { skips: 100_000, pauses: 50_000 };

const tooFarAhead = (field: string, day: Day, now: Date): Problem =>
  day > daysAfter(latestDayAt(now), historyLimits.daysAhead)
    ? [field, `A day can be at most ${historyLimits.daysAhead} days ahead`]
    : undefined;

/** Where in its file each is. */
const places = new WeakMap<ImportedPause, number>();

export const carriedPauses = carried({
  name: 'pauses',
  type: ImportedPause,
  list: { label: 'Pause', most: MOST.pauses, since: 2 },
  said: {
    task: "The id of one of the tasks; null: all, and the user's own streak.",
    until: 'The last day; null: open.',
  },
  about: 'Earliest first.',
  /** Earliest first. */
  exported: (query, { userId, lastTask }) =>
    inPages(
      query,
      sql`
        select task_id as task, to_char(first_day, 'YYYY-MM-DD') as from, to_char(last_day, 'YYYY-MM-DD') as until, note
        from pauses where user_id = ${userId} and coalesce(task_id, 0) <= ${lastTask}
        order by first_day, coalesce(task_id, 0), id`,
      { characters: limits.note },
    ),
  problemIn({ kinds, now }) {
    const paused = new Counts<number | null>();
    return (pause, index) => {
      const { task = null, from, until = null } = pause;
      places.set(pause, index);
      if (task !== null && !kinds.has(task)) return noTask;
      paused.add(task, 1);
      if (paused.of(task) > historyLimits.pauses) return ['task', tooManyPauses().message];
      if (until !== null && until < from) return ['until', 'Until must not be before from'];
      return tooFarAhead('from', from, now);
    };
  },
  async check(items, file) {
    for (const overlapping of await overlappingIn(items)) {
      const place = places.get(overlapping) ?? 0;
      file.note(`pauses[${place}].from`, `Pause ${place + 1}: ${pausedAlready(overlapping)}`);
    }
  },
  async bringIn(pauses, query, { userId, ids, isAdded }) {
    // Pauses of everything concern the user's own days.
    if (pauses.some(({ task }) => typeof task !== 'number'))
      await sql`
        update user_progress set time_zone = coalesce(time_zone, 'UTC') where user_id = ${userId}`.execute(
        query,
      );
    await insertAll(query, Pause, {
      ...{ into: 'pauses', userId, items: await newPauses(query, userId, pauses, { ids, isAdded }) },
      rowOf: ({ task: taskId, from: firstDay, until: lastDay = null, note = null }) => ({
        ...{ id: randomUUID(), taskId },
        ...{ firstDay, lastDay, note },
      }),
    });
  },
});

export const carriedSkips = carried({
  name: 'skips',
  type: ImportedSkip,
  list: { label: 'Skip', most: MOST.skips, since: 2 },
  said: { task: meaningOfTask },
  about: 'Days on which a task need not be done, by task and day.',
  exported: (query, { userId, lastTask }) =>
    inPages(
      query,
      sql`
        select task_id as task, to_char(day, 'YYYY-MM-DD') as date, note from skips
        where user_id = ${userId} and task_id <= ${lastTask} order by task_id, day`,
      { characters: limits.note },
    ),
  problemIn({ kinds, now }) {
    const skipped = new Set<string>();
    const counts = new Counts<number>();
    return ({ task, date }) => {
      if (!kinds.has(task)) return noTask;
      const key = `${task} ${date}`;
      if (skipped.has(key)) return ['date', 'Date must be skipped once'];
      skipped.add(key);
      counts.add(task, 1);
      if (counts.of(task) > historyLimits.skips) return ['task', tooManySkips().message];
      return tooFarAhead('date', date, now);
    };
  },
  async bringIn(items, query, { userId, ids, there }) {
    const added = there.size > 0 ? await newSkips(query, userId, items, ids) : items;
    await insertAll(query, Skip, {
      ...{ into: 'skips', userId, items: added },
      rowOf: ({ task, date: day, note }) => ({ taskId: ids.get(task), day, note }),
    });
  },
});

/** The pauses that share a day with an earlier one of the same thing. */
async function overlappingIn(pauses: readonly ImportedPause[]): Promise<ImportedPause[]> {
  const overlapping: ImportedPause[] = [];
  for (const ofOne of Map.groupBy(pauses, ({ task = null }) => task).values()) {
    await yieldToOthers();
    const inOrder = ofOne.toSorted((one, other) => (one.from < other.from ? -1 : 1));
    const overlaps = ({ from }: ImportedPause, index: number) => {
      const before = inOrder[index - 1];
      return before !== undefined && (before.until ?? from) >= from;
    };
    overlapping.push(...inOrder.filter(overlaps));
  }
  return overlapping;
}

const pausedAlready = ({ from }: ImportedPause) => `There is a pause on ${from} already`;

/** Without those of days that are skipped already. */
async function newSkips(
  query: Kysely<unknown>,
  userId: string,
  skips: ImportedSkip[],
  ids: Ids,
): Promise<ImportedSkip[]> {
  const { rows } = await sql<{ task: number; day: string }>`
    select task_id as task, to_char(day, 'YYYY-MM-DD') as day from skips where user_id = ${userId}`.execute(
    query,
  );
  const there = new Set(rows.map(({ task, day }) => `${task} ${day}`));
  const added = skips.filter(({ task, date }) => !there.has(`${ids.get(task)} ${date}`));
  const counts = new Counts<number>();
  for (const { task } of rows) counts.add(Number(task), 1);
  for (const { task } of added) counts.add(ids.get(task) ?? 0, 1);
  if (counts.ownersWith(historyLimits.skips + 1).length > 0) throw tooManySkips();
  return added;
}

type Ids = ReadonlyMap<number, number>;

/**
 * Those that are not there already, of the tasks here: to pause everything needs no task, and so an account without tasks
 * may have some. What is added to what there is passes over those that share a day with one that is there.
 */
async function newPauses(
  query: Kysely<unknown>,
  userId: string,
  pauses: ImportedPause[],
  { ids, isAdded }: { ids: Ids; isAdded: boolean },
): Promise<ImportedPause[]> {
  const rows = await selectPauses(query.withTables<RestTables>(), userId).execute();
  const there = rows.map(({ taskId: task, firstDay: from, lastDay: until }) => ({ task, from, until }));
  const keyOf = ({ task = null, from, until = null }: ImportedPause) => [task, from, until].join();
  const known = new Set(there.map(keyOf));
  const added = pauses
    .map((pause) => ({
      ...pause,
      task: typeof pause.task === 'number' ? (ids.get(pause.task) ?? null) : null,
    }))
    .filter((pause) => !known.has(keyOf(pause)) && (!isAdded || isBeside(pause, there)));
  const ofEach = Map.groupBy([...there, ...added], ({ task = null }) => task);
  if ([...ofEach.values()].some((each) => each.length > historyLimits.pauses)) throw tooManyPauses();
  const [overlapping] = await overlappingIn([...there, ...added]);
  if (overlapping) throw invalid(pausedAlready(overlapping));
  return added;
}

/** Whether it shares no day with one of the same thing. */
function isBeside({ task = null, from, until }: ImportedPause, there: readonly ImportedPause[]): boolean {
  const isBefore = (last: string | null | undefined, first: string) => last != null && last < first;
  return there.every(
    (other) => (other.task ?? null) !== task || isBefore(other.until, from) || isBefore(until, other.from),
  );
}
