import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { setUserDays } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { announcePlanned } from '../accounts/progress.announcement.js';
import { UUID } from '../accounts/tokens.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { invalid, missing } from '../errors.js';
import { type Day, daysAfter } from '../schedules/day.js';
import { recountAllTasks, recountTasks, recountUser } from '../schedules/recount-runs.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { selectTasks, type TaskRow } from '../tasks/task.queries.js';
import type { TaskService } from '../tasks/task.service.js';
import { topics } from '../telemetry/topics.js';
import { limits, written } from '../validation.js';
import type { EndPauseArgs, PauseArgs, SkipDayArgs, UnskipDayArgs } from './pause.input.js';
import {
  countSkips,
  deletePause,
  deleteSkip,
  insertPause,
  type PauseRow,
  pauses,
  type RestTables,
  selectOverlapping,
  selectPauses,
  setLastDay,
  upsertSkip,
} from './pause.queries.js';

type Query = Kysely<RestTables>;

const HOUR = 3_600_000;

/** Days on which nothing is asked for: skips of a task, and pauses of one or of all. */
export class PauseService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly days: UserDaysService,
    private readonly settings: Pick<Config, 'backdateHours'>,
  ) {}

  /** Again: changes the note. */
  async skip(userId: string, { taskId, date, note = null }: SkipDayArgs): Promise<TaskRow> {
    await this.refuseUnlessNear(userId, date, 'date');
    return this.changeOf(userId, taskId, async (query) => {
      await upsertSkip(query, { userId, taskId, day: date, note });
      if ((await countSkips(query, { userId, taskId })) > limits.skips) throw tooManySkips();
    });
  }

  /** A day that is not skipped gives the same answer. */
  async unskip(userId: string, { taskId, date }: UnskipDayArgs): Promise<TaskRow> {
    await this.refuseUnlessNear(userId, date, 'date');
    return this.changeOf(userId, taskId, (query) => deleteSkip(query, { userId, taskId, day: date }));
  }

  async pause(
    userId: string,
    { taskId = null, from, until = null, note = null }: PauseArgs,
  ): Promise<PauseRow> {
    await this.refuseUnlessNear(userId, from, 'from');
    if (until !== null && until < from) throw invalid('Until must not be before from', 'until');
    const pause = { id: randomUUID(), userId, taskId, firstDay: from, lastDay: until, note };
    await this.change(userId, taskId, async (query) => {
      await refuseOverlap(query, pause);
      const { rows } = await insertPause(query, pause, limits.pauses);
      if (rows.length === 0) throw tooManyPauses();
    });
    return pause;
  }

  /** Null if the pause was removed. */
  async end(userId: string, { id, until }: EndPauseArgs): Promise<PauseRow | null> {
    const [found] = await this.find(this.database.query(), userId, id);
    if (!found) throw missing('Pause');
    const changed = until < found.firstDay ? null : { ...found, lastDay: until };
    await this.change(userId, found.taskId, async (query) => {
      const [current] = await this.find(query, userId, id);
      if (!current) throw missing('Pause');
      if (changed) await refuseOverlap(query, changed);
      await (changed ? setLastDay(query, { userId, id, until }) : deletePause(query, { userId, id }));
    });
    return changed;
  }

  ofUser(userId: string): Promise<PauseRow[]> {
    return this.database.run(pauses.ofAll, { userId });
  }

  ofTasks(userId: string, ids: number[]): Promise<PauseRow[]> {
    return this.database.run(pauses.ofTasks, { userId, ids });
  }

  /** Changes which days are neutral, of a task or of all and the user, and reads the history anew. */
  private async change(
    userId: string,
    taskId: number | null,
    work: (query: Query) => Promise<unknown>,
  ): Promise<void> {
    const change = () => this.changeInTransaction(userId, taskId, work);
    const isDone = await (taskId === null ? this.database.changeOfWholeAccount(userId, change) : change());
    if (!isDone && taskId !== null) await this.tasks.refuse(taskId);
    topics.daysChanged.tell(userId);
  }

  private changeInTransaction(
    userId: string,
    taskId: number | null,
    work: (query: Query) => Promise<unknown>,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<RestTables>();
      await this.accounts.lock(query, userId);
      if (taskId !== null && !(await taskById(query, userId, taskId))) return false;
      await work(query);
      if (taskId === null) {
        await setUserDays(query, userId, {}); // keeps the run of the user's days, which a pause concerns, by itself
        await recountUser(query, userId);
        await recountAllTasks(query, userId);
      } else await recountTasks(query, userId, [taskId]);
      await announcePlanned(query, userId, taskId);
      return true;
    });
  }

  private async changeOf(
    userId: string,
    taskId: number,
    work: (query: Query) => Promise<unknown>,
  ): Promise<TaskRow> {
    await this.change(userId, taskId, work);
    return (await this.tasks.find(userId, taskId)) ?? this.tasks.refuse(taskId);
  }

  private async refuseUnlessNear(userId: string, day: Day, field: string): Promise<void> {
    const earliest = new Date(this.clock.now().getTime() - this.settings.backdateHours * HOUR);
    const { today, daysOf } = await this.days.of(userId, { instants: [earliest] });
    const first = daysOf.get(earliest.getTime()) ?? today;
    if (day < first) throw invalid(`A day before ${first} can no longer be changed`, field, 'DAY_OVER');
    const last = daysAfter(today, limits.daysAhead);
    if (day > last) throw invalid(`A day can be at most ${limits.daysAhead} days ahead`, field, 'DAY_AHEAD');
  }

  private find(query: Query, userId: string, id: string): Promise<PauseRow[]> {
    return UUID.test(id) ? selectPauses(query, userId).where('id', '=', id).execute() : Promise.resolve([]);
  }
}

export const tooManyPauses = () =>
  invalid(`There can be at most ${written(limits.pauses)} pauses of one task, and of everything`);

export const tooManySkips = () =>
  invalid(`A task can have at most ${written(limits.skips)} skipped days`, 'date');

const taskById = (query: Query, userId: string, id: number) =>
  selectTasks(query, { userId }).where('id', '=', id).executeTakeFirst();

async function refuseOverlap(query: Query, pause: PauseRow): Promise<void> {
  const [other] = await selectOverlapping(query, pause).limit(1).execute();
  if (!other) return;
  const until = other.lastDay === null ? 'on' : `to ${other.lastDay}`;
  throw invalid(`There is a pause from ${other.firstDay} ${until} already`, 'from', 'PAUSED');
}
