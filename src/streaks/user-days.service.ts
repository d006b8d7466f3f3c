import { type Kysely, sql } from 'kysely';
import type { Account, AccountTables } from '../accounts/account.queries.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { statement } from '../database/statement.js';
import { type Day, dayOf, daysAfter, startOf } from './day.js';
import { startOfUserDay, streakOn, type TrueStreak, userDayAt, userRunOf } from './streak.js';

/** A user's days at one moment. */
export interface UserDays {
  today: Day;
  /** The user's days of the instants that were asked for. */
  daysOf: Map<number, Day>;
  /** When a run ends whose last day is one of those that were asked for. */
  endOf: Map<Day, Date>;
}

interface Asked {
  userId: string;
  now: Date;
  lastDays: Day[];
  instants: Date[];
}

interface Row {
  today: Day;
  lastDay: Day | null;
  end: Date | null;
  instant: Date | null;
  day: Day | null;
}

const utcDayOf = (at: ReturnType<typeof sql>) => sql`((${at}) at time zone 'UTC')::date`;

const reading = statement((_query: Kysely<AccountTables>, { userId, now, lastDays, instants }: Asked) => {
  const today = sql`${now}::timestamptz`;
  const instant = sql`asked.instant`;
  return sql<Row>`
    select ${userDayAt(today, utcDayOf(today))} as today,
      asked.last_day as "lastDay", ${startOfUserDay(sql`(asked.last_day + 2)`)} as end,
      ${instant}, ${userDayAt(instant, utcDayOf(instant))} as day
    from user_progress
      left join unnest(${lastDays}::date[], ${instants}::timestamptz[]) as asked (last_day, instant) on true
    where user_id = ${userId}
  `;
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
    }: { timeZone?: string | null | undefined; lastDays?: Day[]; instants?: Date[] } = {},
  ): Promise<UserDays> {
    const now = this.clock.now();
    if (timeZone === null) return utcDays(now, { lastDays, instants });
    const rows = await this.database.run(reading, { userId, now, lastDays, instants });
    const [first] = rows;
    if (!first) return utcDays(now, { lastDays, instants });
    return {
      today: first.today,
      daysOf: new Map(rows.flatMap(({ instant, day }) => (instant && day ? [[instant.getTime(), day]] : []))),
      endOf: new Map(rows.flatMap(({ lastDay, end }) => (lastDay && end ? [[lastDay, end]] : []))),
    };
  }

  /** What one user's days are now, and the streak. The account may have been read more than once. */
  async ofAccounts(
    accounts: readonly [Account, ...Account[]],
  ): Promise<{ today: Day; streak: TrueStreak }[]> {
    const [{ id }] = accounts;
    const runs = accounts.map(userRunOf);
    const timeZone = accounts.every((account) => account.timeZone === null) ? null : undefined;
    const lastDays = runs.flatMap(({ lastDay }) => lastDay ?? []);
    const { today, endOf } = await this.of(id, { timeZone, lastDays });
    return runs.map((run) => ({ today, streak: streakOn(today, run, (lastDay) => endOf.get(lastDay)) }));
  }
}

const utcDays = (now: Date, { lastDays, instants }: Pick<Asked, 'lastDays' | 'instants'>): UserDays => ({
  today: dayOf(now),
  daysOf: new Map(instants.map((instant) => [instant.getTime(), dayOf(instant)])),
  endOf: new Map(lastDays.map((day) => [day, startOf(daysAfter(day, 2))])),
});
