import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../database/database.js';
import { statement } from '../../../database/statement.js';
import type { Account, AccountTables } from '../../account/account.queries.js';
import type { WeekStart } from '../../account/progress.entity.js';
import { type Day, dayAt, dayOf, daysAfter, numberOf, startOf } from '../../schedules/day.js';
import { startOfUserDay, userDayAt } from '../../schedules/days.queries.js';
import { Judge, type RestRow, Rests, type RestsOfTask } from '../../schedules/judge.js';
import { restsOfAll, restsOfTasks } from '../../schedules/rests.queries.js';
import { EVERY_DAY } from '../../schedules/schedule.js';
import { type StreakInDays, streakOn, type TrueStreak, userRunOf } from './streak.js';

/** A user's days at one moment. */
export interface UserDays {
  today: Day;
  /** The user's days of the instants that were asked for. */
  daysOf: Map<number, Day>;
  /** When a run ends whose last day is one of those that were asked for. */
  endOf: Map<Day, Date>;
  /** Monday, where the database was not asked. */
  weekStartsOn: WeekStart;
  /** Of the tasks that were asked for, and of all. */
  rests: Rests;
  /** When those were made that were asked for. */
  madeOn: Map<number, Day>;
  /** The same of when they were archived. */
  archivedOn: Map<number, Day>;
}

interface Asked {
  userId: string;
  now: Date;
  lastDays: Day[];
  instants: Date[];
}

interface AskedWithRests extends Asked {
  ids: number[];
}

interface Row {
  today: Day;
  lastDay: Day | null;
  end: Date | null;
  instant: Date | null;
  day: Day | null;
  weekStartsOn: WeekStart | null;
  /** Both in the first row. */
  restsOfAll?: RestRow[] | null;
  rests?: (RestsOfTask & { madeOn: Day; archivedOn: Day | null })[] | null;
}

const selectDays = ({ userId, now, lastDays, instants }: Asked, more = sql``) => {
  const today = sql`${now}::timestamptz`;
  const instant = sql`asked.instant`;
  return sql<Row>`
    select ${userDayAt(today)} as today,
      asked.last_day as "lastDay", ${startOfUserDay(sql`(asked.last_day + 2)`)} as end,
      ${instant}, ${userDayAt(instant)} as day, week_starts_on as "weekStartsOn" ${more}
    from user_progress
      left join unnest(${lastDays}::date[], ${instants}::timestamptz[])
        with ordinality as asked (last_day, instant, number) on true
    where user_id = ${userId}
  `;
};

const reading = statement((_query: Kysely<AccountTables>, asked: Asked) => selectDays(asked));

const readingWithRests = statement((_query: Kysely<AccountTables>, asked: AskedWithRests) => {
  const once = (value: RawBuilder<unknown>) => sql`case when coalesce(asked.number, 1) = 1 then ${value} end`;
  const rests = restsOfTasks(asked.userId, asked.ids);
  return selectDays(asked, sql`, ${once(restsOfAll(asked.userId))} as "restsOfAll", ${once(rests)} as rests`);
});

/** Days in the time zones of users, as the database knows them. */
export class UserDaysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks the database, unless it is known that the user has UTC days: `timeZone` is null then. An account that is gone
   * has UTC days.
   */
  async of(
    userId: string,
    {
      timeZone,
      lastDays = [],
      instants = [],
      restsOf: ids,
    }: {
      timeZone?: string | null | undefined;
      lastDays?: Day[];
      instants?: Date[];
      /** Tasks; none for the pauses of everything. */
      restsOf?: number[];
    } = {},
  ): Promise<UserDays> {
    const now = this.clock.now();
    if (timeZone === null && !ids) return utcDays(now, { lastDays, instants });
    const asked = { userId, now, lastDays, instants };
    const rows = ids
      ? await this.database.run(readingWithRests, { ...asked, ids })
      : await this.database.run(reading, asked);
    const [first] = rows;
    if (!first) return utcDays(now, { lastDays, instants });
    return {
      today: first.today,
      daysOf: new Map(rows.flatMap(({ instant, day }) => (instant && day ? [[instant.getTime(), day]] : []))),
      endOf: new Map(rows.flatMap(({ lastDay, end }) => (lastDay && end ? [[lastDay, end]] : []))),
      weekStartsOn: first.weekStartsOn ?? 'MONDAY',
      rests: new Rests(first.restsOfAll, first.rests),
      madeOn: new Map(first.rests?.map(({ id, madeOn }) => [id, madeOn])),
      archivedOn: new Map(
        first.rests?.flatMap(({ id, archivedOn }) => (archivedOn ? [[id, archivedOn]] : [])),
      ),
    };
  }

  /** What one user's days are now, and the streak. The account may have been read more than once. */
  async ofAccounts(
    accounts: readonly [Account, ...Account[]],
  ): Promise<{ today: Day; streak: TrueStreak }[]> {
    const [{ id }] = accounts;
    const runs = accounts.map(userRunOf);
    const timeZone = zoneKnownOf(accounts);
    const lastDays = runs.flatMap(({ lastDay }) => lastDay ?? []);
    const needsJudge = runs.some((run) => run.needsJudge);
    const days = await this.of(id, { timeZone, lastDays, ...(needsJudge && { restsOf: [] }) });
    const judge = new Judge(EVERY_DAY, days.rests.ofUser(), days.weekStartsOn);
    const today = numberOf(days.today);
    const streaks = runs.map(({ lastDay: day, ...run }) => {
      const lastDay = day === null ? null : numberOf(day);
      const isKept = lastDay !== null && lastDay >= today;
      return streakOn({ today, isKept, isDue: true }, judge, { ...run, lastDay });
    });
    const ended = await this.withEnds(id, streaks, days.endOf);
    return ended.map((streak) => ({ today: days.today, streak }));
  }

  /** When the present day of one user ends. */
  async endsOfToday(accounts: readonly [Account, ...Account[]]): Promise<Date[]> {
    const [{ id }] = accounts;
    const utcDay = dayOf(this.clock.now());
    // The user's day today is one of three, and `endOf` is asked for by the day before.
    const lastDays = [-2, -1, 0].map((days) => daysAfter(utcDay, days));
    const { today, endOf } = await this.of(id, { timeZone: zoneKnownOf(accounts), lastDays });
    const end = endOf.get(daysAfter(today, -1)) ?? startOf(daysAfter(today, 1));
    return accounts.map(() => end);
  }

  /**
   * Streaks that end after the last of these days, with the instants at which they do. `known`: those at which a run
   * ends that ends with the day after its last one, by that day.
   */
  async withEnds(
    userId: string,
    streaks: readonly StreakInDays[],
    known: ReadonlyMap<Day, Date>,
  ): Promise<TrueStreak[]> {
    // A run of days one after the other ends with the day after its last.
    const lastDays = [...new Set(streaks.flatMap(({ end }) => (end === null ? [] : dayAt(end - 1))))];
    const unknown = lastDays.filter((day) => !known.has(day));
    const asked = unknown.length > 0 ? (await this.of(userId, { lastDays: unknown })).endOf : known;
    const endOf = (day: Day) => known.get(day) ?? asked.get(day) ?? null;
    return streaks.map(({ end, ...streak }) => ({
      ...streak,
      aliveUntil: end === null ? null : endOf(dayAt(end - 1)),
    }));
  }
}

/** Null if it is known that the user has UTC days. */
const zoneKnownOf = (accounts: readonly Account[]): null | undefined =>
  accounts.every(({ timeZone }) => timeZone === null) ? null : undefined;

const utcDays = (now: Date, { lastDays, instants }: Pick<Asked, 'lastDays' | 'instants'>): UserDays => ({
  today: dayOf(now),
  daysOf: new Map(instants.map((instant) => [instant.getTime(), dayOf(instant)])),
  endOf: new Map(lastDays.map((day) => [day, startOf(daysAfter(day, 2))])),
  weekStartsOn: 'MONDAY',
  rests: new Rests(),
  madeOn: new Map(),
  archivedOn: new Map(),
});
