import { type Kysely, sql } from 'kysely';
import { lockAccount } from '../accounts/account.queries.js';
import { announcePlanned, announceProgress } from '../accounts/progress.announcement.js';
import { Zones } from '../accounts/zones.js';
import { challengeActive, tooManyChallenges } from '../challenges/challenge.refusals.js';
import type { TemplateService } from '../challenges/template.service.js';
import type { Clock } from '../clock.js';
import { restoreCounters } from '../completions/recount.js';
import type { Database } from '../database/database.js';
import { violates } from '../database/violations.js';
import { invalid, unauthenticated } from '../errors.js';
import { type RestTables, selectPauses } from '../pauses/pause.queries.js';
import { tooManyPauses } from '../pauses/pause.service.js';
import { Line } from '../queues/line.js';
import { dayOf } from '../schedules/day.js';
import {
  dayReminderAt,
  insertReminders,
  type ReminderRow,
  replaceReminders,
  replanReminders,
} from '../schedules/reminder.queries.js';
import { storedReminder } from '../tasks/reminder.input.js';
import { limits } from '../validation.js';
import {
  countChallenges,
  hasTasks,
  insertChallenges,
  insertCompletions,
  insertPauses,
  insertSkips,
  insertTasks,
  setDays,
  setLanguage,
} from './import.queries.js';
import { type Imported, importedFrom, overlappingIn, pausedAlready } from './validate-import.js';

type Query = Kysely<RestTables>;

export const accountInUse = () =>
  invalid('The account has tasks already: a file is imported into one without', undefined, 'ACCOUNT_IN_USE');

/** How many of each were imported. */
export interface ImportCounts {
  tasks: number;
  challenges: number;
  completions: number;
  /** For a file of another app. */
  leftOut?: string[] | undefined;
}

export class ImportService {
  private readonly line = new Line({ size: 1 });
  private readonly zones: Zones;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly templates: TemplateService,
  ) {
    this.zones = new Zones(database);
  }

  /** Asked before the file is read. */
  async requireMayImport(userId: string): Promise<void> {
    if (await hasTasks(this.database.query(), userId)) throw accountInUse();
  }

  /** All of an export, or nothing, one file at a time. The counters are derived from the completions. */
  run(userId: string, file: Buffer): Promise<ImportCounts> {
    return this.line.hold(userId, () => this.bringIn(userId, file));
  }

  private async read(userId: string, file: Buffer): Promise<Imported> {
    if (await hasTasks(this.database.query(), userId)) throw accountInUse();
    const templates = await this.templates.list(userId);
    const imported = await importedFrom(file, { now: this.clock.now(), templates });
    const { timeZone } = imported.account;
    if (typeof timeZone === 'string') await this.zones.require(timeZone);
    return imported;
  }

  private async bringIn(userId: string, file: Buffer): Promise<ImportCounts> {
    const imported = await this.read(userId, file);
    return this.database
      .transaction((tx) => this.insert(tx.getKysely<RestTables>(), userId, imported))
      .catch((error: unknown) => {
        throw violates(error, 'unique', 'user_challenges_active_unique') ? challengeActive() : error;
      });
  }

  private async insert(query: Query, userId: string, imported: Imported): Promise<ImportCounts> {
    await setLanguage(query, userId, imported.account);
    await this.requireRoom(query, userId, imported);
    const { tasks, completions, skips } = imported;
    await setDays(query, userId, imported);
    if (imported.account.dayReminder)
      await replaceReminders(query, { userId, taskId: null }, [], this.clock.now());
    await replanReminders(query, userId, this.clock.now());
    const ids = await insertTasks(query, userId, tasks);
    const challenges = await insertChallenges(query, userId, imported.challenges);
    await insertReminders(query, userId, remindersIn(imported, ids), this.clock.now());
    const pauses = await newPauses(query, userId, imported.pauses);
    await insertPauses(query, userId, pauses, ids);
    await insertSkips(query, userId, skips, ids);
    await insertCompletions(query, userId, completions, ids);
    await restoreCounters(query, userId, dayOf(this.clock.now()));
    await sql`select ${announceProgress('CORRECTED', sql`${userId}::uuid`)}`.execute(query);
    await announcePlanned(query, userId, null);
    return { tasks: tasks.length, challenges, completions: completions.length, leftOut: imported.leftOut };
  }

  /** Tasks are made under the same lock: there are none, and in this transaction none is made meanwhile. */
  private async requireRoom(query: Query, userId: string, { challenges }: Imported): Promise<void> {
    if (!(await lockAccount(query, userId))) throw unauthenticated();
    if (await hasTasks(query, userId)) throw accountInUse();
    if ((await countChallenges(query, userId)) + challenges.length > limits.challenges)
      throw tooManyChallenges();
  }
}

/** A reminder of the day in the file replaces the account's own; without one in the file, it stays. */
function remindersIn({ tasks, account }: Imported, ids: ReadonlyMap<number, number>): ReminderRow[] {
  const ofTasks = tasks.flatMap(({ id, reminders }) =>
    (reminders ?? []).map((each) => ({ ...storedReminder(each), taskId: ids.get(id) ?? null })),
  );
  const { dayReminder } = account;
  return dayReminder ? [...ofTasks, { ...dayReminderAt(dayReminder), taskId: null }] : ofTasks;
}

/** Those that are not there already: to pause everything needs no task, and so an account without tasks may have some. */
async function newPauses(
  query: Query,
  userId: string,
  pauses: Imported['pauses'],
): Promise<Imported['pauses']> {
  const rows = await selectPauses(query, userId).execute();
  const there = rows.map(({ taskId: task, firstDay: from, lastDay: until }) => ({ task, from, until }));
  const keyOf = ({ task = null, from, until = null }: Imported['pauses'][number]) =>
    [task, from, until].join();
  const known = new Set(there.map(keyOf));
  const added = pauses.filter((pause) => !known.has(keyOf(pause)));
  const ofEach = Map.groupBy([...there, ...added], ({ task = null }) => task);
  if ([...ofEach.values()].some((each) => each.length > limits.pauses)) throw tooManyPauses();
  const overlapping = await overlappingIn([...there, ...added]);
  if (overlapping) throw invalid(pausedAlready(overlapping));
  return added;
}
