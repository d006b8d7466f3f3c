import { sql } from 'kysely';
import { carried, TimeText } from '../../base/carried.js';
import { instantShape } from '../../base/carried-schema.js';
import { unauthenticated } from '../../base/errors.js';
import { Language } from '../../base/languages/language.js';
import { Clearable, Omittable, OneOf, Text } from '../../base/validation.js';
import { isoOf } from '../../database/columns.js';
import { AT } from '../../rest/route.js';
import { fixDays } from '../schedules/recount-runs.js';
import { dayReminderAt, replaceReminders, rescheduleReminders } from '../schedules/reminder.queries.js';
import { lockAccount } from './account.queries.js';
import { accountLimits } from './limits.js';
import { WEEK_STARTS, type WeekStart } from './progress.entity.js';
import { StartOfDay } from './rules.js';

/** What an export says of an account; name, address and picture are the new account's own. */
export class ImportedAccount {
  @Clearable()
  @Text({ max: accountLimits.timeZone })
  timeZone?: string | null;

  @StartOfDay()
  dayStartsAt!: number;

  @Omittable()
  @OneOf(WEEK_STARTS)
  weekStartsOn?: WeekStart;

  @Clearable()
  @OneOf(Object.keys(Language))
  language?: Language | null;

  @Clearable()
  @TimeText()
  dayReminder?: string | null;
}

export const carriedAccount = carried({
  name: 'account',
  type: ImportedAccount,
  said: {
    timeZone: 'Null: the days of UTC.',
    language: 'Null: that of the device.',
    dayReminder: 'Null: none.',
    name: { type: 'string' },
    email: { type: 'string' },
    profilePicture: { type: ['string', 'null'] },
    createdAt: instantShape,
  },
  example: {
    ...{ name: 'Ana', email: 'ana@example.com', profilePicture: null, createdAt: AT },
    ...{ timeZone: null, dayStartsAt: 0, weekStartsOn: 'MONDAY', language: null, dayReminder: null },
  },
  about: "Name, address, picture and log-ins are the account's own: an import passes over them.",
  async *exported(query, { userId, more }) {
    const dayReminder = sql`(
      select to_char(make_interval(mins => minute), 'HH24:MI') from reminders
      where reminders.user_id = ${userId} and task_id is null limit 1)`;
    const { rows } = await sql<{ account: object; more: object }>`
      select json_build_object('name', name, 'email', email, 'profilePicture', profile_picture,
        'timeZone', time_zone, 'dayStartsAt', day_starts_at, 'weekStartsOn', coalesce(week_starts_on, 'MONDAY'),
        'language', language, 'dayReminder', ${dayReminder}, 'createdAt', ${isoOf(sql`created_at`)}) as account,
        json_strip_nulls(json_build_object(${more('account')})) as more
      from users join user_progress on user_id = id where id = ${userId}`.execute(query);
    const [found] = rows;
    if (!found) throw unauthenticated();
    yield JSON.stringify({ ...found.account, ...found.more });
  },
  async check([{ timeZone } = new ImportedAccount()], file, { hasZone }) {
    if (typeof timeZone === 'string' && !(await hasZone(timeZone)))
      file.note(
        'account.timeZone',
        'Account: Time zone must be a name of the IANA database, such as Europe/Berlin',
      );
  },
  /** A language or a reminder that the file does not name stays. */
  async bringIn([account = new ImportedAccount()], query, { userId, now, isAdded, hasZone }) {
    if (isAdded) {
      if (!(await lockAccount(query, userId))) throw unauthenticated();
      return 0;
    }
    const { timeZone, dayStartsAt, weekStartsOn = null, language, dayReminder } = account;
    // Before the counters are locked, as when a profile is changed.
    if (language) await sql`update users set language = ${language} where id = ${userId}`.execute(query);
    if (!(await lockAccount(query, userId))) throw unauthenticated();
    if (timeZone) await fixDays(query.withTables(), userId, hasZone);
    await sql`
      update user_progress set time_zone = coalesce(${timeZone}::text, time_zone),
        day_starts_at = case when ${timeZone}::text is null then day_starts_at else ${dayStartsAt}::int end,
        week_starts_on = coalesce(${weekStartsOn}::text, week_starts_on)
      where user_id = ${userId}`.execute(query);
    await rescheduleReminders(query, userId, now);
    if (dayReminder)
      await replaceReminders(query, { userId, taskId: null }, [dayReminderAt(dayReminder)], now);
    return 1;
  },
});
